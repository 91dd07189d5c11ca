import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { EventBrief } from './EventBrief.tsx';
import s from './LastChange.module.css';
import { eventsAboutQuery, type Subject, toEventQuery } from './last-change.ts';
import { Person } from './Person.tsx';
import { RailSection } from './RailSection.tsx';
import { Sentence } from './Sentence.tsx';
import { Time } from './Time.tsx';

const MAX_SHOWN = 3;

/** The newest changes of a subject, with a link to all of them in the event log. Renders nothing if there are none. */
export function LastChange({ subject }: { subject: Subject }) {
  const { data: events } = useQuery(eventsAboutQuery(subject));
  if (!events || events.length === 0) return null;
  const eventLogLink = (
    <Link to="/events" search={toEventQuery(subject)}>
      Event log
    </Link>
  );
  return (
    <RailSection title={events.length === 1 ? 'Last change' : 'Last changes'} aside={eventLogLink}>
      <ol className={s.changes}>
        {events.slice(0, MAX_SHOWN).map(event => (
          <li key={event.id}>
            <Person name={event.createdBy} size={18} />
            <span>
              <Sentence event={event} /> <EventBrief event={event} />{' '}
              {event.comment && <q>{event.comment}</q>}{' '}
              <Link to="/events/$eventId" params={{ eventId: String(event.id) }} className={s.time}>
                <Time at={event.createdAt} />
              </Link>
            </span>
          </li>
        ))}
      </ol>
    </RailSection>
  );
}
