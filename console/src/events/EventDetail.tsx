import '@mantine/core/styles/FloatingIndicator.layer.css';
import '@mantine/core/styles/SegmentedControl.layer.css';
import { Button, SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Flag, Undo2 } from 'lucide-react';
import { lazy, Suspense, useId, useState } from 'react';
import { loadChunk } from '../api/chunks.ts';
import { Can } from '../ui/Can.tsx';
import { changesOf, unchangedCount } from '../ui/diff.ts';
import { FieldDiff } from '../ui/FieldDiff.tsx';
import { Json } from '../ui/Json.tsx';
import { Person } from '../ui/Person.tsx';
import { Sentence } from '../ui/Sentence.tsx';
import type { Search } from '../ui/search.ts';
import { Time } from '../ui/Time.tsx';
import { useFilters } from '../ui/useFilters.ts';
import { counted } from '../ui/words.ts';
import { Deliveries } from './Deliveries.tsx';
import s from './events.module.css';
import { Facts } from './Facts.tsx';
import { type Event, groupQuery } from './queries.ts';
import { Reach } from './Reach.tsx';
import { isRevertible, type RevertibleEvent, revertingCall } from './revertible.ts';

const Revert = lazy(() =>
  loadChunk(() => import('./Revert.tsx')).then(module => ({ default: module.Revert })),
);

/** Everything about one event. `inLog`: other events of the change open in the same log. */
export function EventDetail({ event, inLog }: { event: Event; inLog?: boolean }) {
  return (
    <>
      <p className={s.headline}>
        <Sentence event={event} links />
      </p>
      <p className={s.by}>
        <Person name={event.createdBy} size={18} named /> · <Time at={event.createdAt} as="full" />
      </p>
      {event.comment && <blockquote className={s.comment}>{event.comment}</blockquote>}
      <div className={s.acts}>
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
      <Changes event={event} />
      <Facts event={event} />
      <Group event={event} inLog={inLog} />
      <Reach eventId={event.id} />
      <Deliveries eventId={event.id} />
    </>
  );
}

function RevertButton({ event }: { event: RevertibleEvent }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Can {...revertingCall(event)}>
        <Button leftSection={<Undo2 size={13} />} onClick={() => setOpen(true)}>
          Revert this change…
        </Button>
      </Can>
      <Suspense>{isOpen && <Revert event={event} onClose={() => setOpen(false)} />}</Suspense>
    </>
  );
}

/** The fields before and after, or both as JSON. The URL says which. */
function Changes({ event: { preData, data } }: { event: Event }) {
  const { search, replace } = useFilters();
  const id = useId();
  if (preData === null && data === null) return null;
  const isJson = search.as === 'json';
  const changes = changesOf(preData ?? {}, data ?? {});
  const same = preData && data ? unchangedCount(preData, data) : 0;
  return (
    <section aria-labelledby={id}>
      <div className={s.diffHead}>
        <h2 id={id} className={s.diffTitle}>
          {preData === null ? 'Created with' : data === null ? 'Deleted' : 'Changes'}
        </h2>
        <SegmentedControl
          value={isJson ? 'json' : 'fields'}
          onChange={value => replace({ as: value === 'json' ? 'json' : undefined })}
          data={[
            { value: 'fields', label: 'Fields' },
            { value: 'json', label: 'JSON' },
          ]}
          aria-label="Format of the change"
        />
      </div>
      {isJson ? (
        <div className={s.json}>
          {preData !== null && (
            <>
              <h3>Before</h3>
              <Json value={preData} label="Before" />
            </>
          )}
          {data !== null && (
            <>
              <h3>After</h3>
              <Json value={data} label="After" />
            </>
          )}
        </div>
      ) : (
        <>
          {changes.length > 0 && <FieldDiff changes={changes} />}
          {same > 0 && <p className={s.same}>{counted(same, 'unchanged field')}</p>}
        </>
      )}
    </section>
  );
}

/** The other events of the same change. */
function Group({ event, inLog }: { event: Event; inLog: boolean | undefined }) {
  const found = useQuery(groupQuery(event.groupId)).data;
  const others = found?.events.filter(one => one.id !== event.id) ?? [];
  if (!found || others.length === 0) return null;
  return (
    <>
      <h2>In the same change</h2>
      <ul className={s.group}>
        {others.map(one => (
          <li key={one.id}>
            {inLog ? (
              <Link to="." search={(before: Search) => ({ ...before, event: String(one.id) })} replace>
                <Sentence event={one} short />
              </Link>
            ) : (
              <Link to="/events/$eventId" params={{ eventId: String(one.id) }}>
                <Sentence event={one} short />
              </Link>
            )}
          </li>
        ))}
      </ul>
      {found.total > found.events.length && (
        <p className={s.same}>and {counted(found.total - found.events.length, 'more event')}</p>
      )}
    </>
  );
}
