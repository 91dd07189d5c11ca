import '@mantine/core/styles/FloatingIndicator.layer.css';
import '@mantine/core/styles/SegmentedControl.layer.css';
import { Button, SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Flag, Undo2 } from 'lucide-react';
import { lazy, Suspense, useId, useState } from 'react';
import { loadChunk } from '../api/chunks.ts';
import { Can } from '../ui/Can.tsx';
import { computeChanges, countUnchanged } from '../ui/diff.ts';
import { FieldDiff } from '../ui/FieldDiff.tsx';
import { Json } from '../ui/Json.tsx';
import { Person } from '../ui/Person.tsx';
import { Sentence } from '../ui/Sentence.tsx';
import type { Search } from '../ui/search.ts';
import { Time } from '../ui/Time.tsx';
import { useFilters } from '../ui/useFilters.ts';
import { formatCount } from '../ui/words.ts';
import { Deliveries } from './Deliveries.tsx';
import s from './events.module.css';
import { Facts } from './Facts.tsx';
import { type Event, groupQuery } from './queries.ts';
import { getRevertCall, isRevertible, type RevertibleEvent } from './revertible.ts';

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
      {event.comment && <blockquote className={s.comment}>{event.comment}</blockquote>}
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
      <Changes event={event} />
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

/** Shows the changed fields, or both states as JSON, depending on the URL. */
function Changes({ event: { preData, data } }: { event: Event }) {
  const { search, replace } = useFilters();
  const id = useId();
  if (preData === null && data === null) return null;
  const isJson = search.as === 'json';
  const changes = computeChanges(preData ?? {}, data ?? {});
  const unchangedFields = preData && data ? countUnchanged(preData, data) : 0;
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
          {unchangedFields > 0 && <p className={s.note}>{formatCount(unchangedFields, 'unchanged field')}</p>}
        </>
      )}
    </section>
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
