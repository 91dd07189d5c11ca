import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Flag, Undo2 } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { loadChunk } from '../api/chunks.ts';
import { Can } from '../ui/Can.tsx';
import { Person } from '../ui/Person.tsx';
import { Sentence } from '../ui/Sentence.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import type { Search } from '../ui/search.ts';
import { Time } from '../ui/Time.tsx';
import { formatCount } from '../ui/words.ts';
import { Comment } from './Comment.tsx';
import { Deliveries } from './Deliveries.tsx';
import s from './events.module.css';
import { Facts } from './Facts.tsx';
import { type Event, groupQuery } from './queries.ts';
import { RevertedBy } from './RevertedBy.tsx';
import { getRevertCall, isRevertible, type RevertibleEvent } from './revertible.ts';

const Changes = lazy(() =>
  loadChunk(() => import('./Changes.tsx')).then(module => ({ default: module.Changes })),
);
const Reach = lazy(() => loadChunk(() => import('./Reach.tsx')).then(module => ({ default: module.Reach })));
const Revert = lazy(() =>
  loadChunk(() => import('./Revert.tsx')).then(module => ({ default: module.Revert })),
);

/** Shows everything about an event. With `inLog`, other events of the change open in the same log. */
export function EventDetail({ event, inLog }: { event: Event; inLog?: boolean }) {
  return (
    <>
      <p className={s.headline}>
        <Sentence event={event} links />
      </p>
      <p className={s.byline}>
        <Person name={event.createdBy} size={18} showName /> · <Time at={event.createdAt} format="full" />
      </p>
      {event.comment && <Comment text={event.comment} />}
      {isRevertible(event) && <RevertedBy event={event} />}
      <div className={s.actions}>
        {event.featureName !== null && event.project !== null && (
          <Button
            variant="filled"
            leftSection={<Flag size={13} />}
            renderRoot={props => (
              <Link
                {...props}
                to="/projects/$projectId/features/$featureName"
                params={{ projectId: event.project ?? '', featureName: event.featureName ?? '' }}
              />
            )}
          >
            Open flag
          </Button>
        )}
        {isRevertible(event) && <RevertButton key={event.id} event={event} />}
      </div>
      <Suspense fallback={<Skeleton rows={2} />}>
        <Changes event={event} />
      </Suspense>
      <Facts event={event} />
      <Group event={event} inLog={inLog} />
      <Suspense>
        <Reach eventId={event.id} />
      </Suspense>
      <Deliveries eventId={event.id} />
    </>
  );
}

function RevertButton({ event }: { event: RevertibleEvent }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Can {...getRevertCall(event)}>
        <Button leftSection={<Undo2 size={13} />} onClick={() => setOpen(true)}>
          Revert this change…
        </Button>
      </Can>
      <Suspense>{isOpen && <Revert event={event} onClose={() => setOpen(false)} />}</Suspense>
    </>
  );
}

/** Lists the other events of the same change. */
function Group({ event, inLog }: { event: Event; inLog: boolean | undefined }) {
  const group = useQuery(groupQuery(event.groupId)).data;
  const otherEvents = group?.events.filter(({ id }) => id !== event.id) ?? [];
  if (!group || otherEvents.length === 0) return null;
  return (
    <>
      <h2>In the same change</h2>
      <ul className={s.group}>
        {otherEvents.map(otherEvent => (
          <li key={otherEvent.id}>
            {inLog ? (
              <Link
                to="."
                search={(current: Search) => ({ ...current, event: String(otherEvent.id) })}
                replace
              >
                <Sentence event={otherEvent} short />
              </Link>
            ) : (
              <Link to="/events/$eventId" params={{ eventId: String(otherEvent.id) }}>
                <Sentence event={otherEvent} short />
              </Link>
            )}
          </li>
        ))}
      </ul>
      {group.total > group.events.length && (
        <p className={s.note}>and {formatCount(group.total - group.events.length, 'more event')}</p>
      )}
    </>
  );
}
