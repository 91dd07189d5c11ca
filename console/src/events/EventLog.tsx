import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { ArrowUp } from 'lucide-react';
import { useCallback, useRef } from 'react';
import { Failure, NotFound } from '../ui/Failure.tsx';
import { Keys } from '../ui/Keys.tsx';
import { List } from '../ui/List.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import { Detail, Split } from '../ui/Split.tsx';
import type { Search } from '../ui/search.ts';
import { dayWords } from '../ui/time.ts';
import { counted, cx, formatNumber } from '../ui/words.ts';
import { zoneName } from '../ui/zone.ts';
import { EventDetail } from './EventDetail.tsx';
import { EventRow } from './EventRow.tsx';
import s from './events.module.css';
import { Histogram } from './Histogram.tsx';
import { eventQuery } from './queries.ts';
import { type EventsRow, indexOfEvent, neighbor, type Row, type Rows, rowAt } from './rows.ts';
import type { useEvents } from './useEvents.ts';

const DAY_HEIGHT = 34;
const ROW_HEIGHT = 56;
/** Browsers limit the height of an element to about 33 million pixels. */
const MAX_ROWS = 500_000;

const keyOf = (row: Row): string => (row.kind === 'day' ? row.day : String(row.events.at(-1)?.id));
const isDay = (row: Row): boolean => row.kind === 'day';
const renderRow = (row: Row) =>
  row.kind === 'day' ? <span className={s.day}>{dayWords(row.day)}</span> : <EventRow row={row} />;

/** The list with the histogram at the left, the selected event at the right. The URL has the selection. */
export function EventLog({
  events,
  filters,
  selected,
  onSelect,
  onRange,
}: {
  events: ReturnType<typeof useEvents>;
  filters: Search;
  /** The id of the selected event. */
  selected: string | undefined;
  onSelect(id: string | undefined): void;
  onRange(change: Search): void;
}) {
  const { rows, total } = events;
  const navigate = useNavigate();
  const box = useRef<HTMLElement>(null);
  const index = selected === undefined ? -1 : indexOfEvent(rows, Number(selected));
  const at = useCallback((n: number) => rowAt(rows, n), [rows]);
  const height = useCallback(
    (n: number) => (rowAt(rows, n)?.kind === 'day' ? DAY_HEIGHT : ROW_HEIGHT),
    [rows],
  );
  const select = useCallback(
    (row: Row) => {
      if (row.kind === 'events') onSelect(String(row.lead.id));
    },
    [onSelect],
  );
  const open = (row: Row) => {
    if (row.kind === 'day') return;
    const { featureName, project, id } = row.lead;
    if (featureName === null || project === null)
      return void navigate({ to: '/events/$eventId', params: { eventId: String(id) } });
    void navigate({
      to: '/projects/$projectId/features/$featureName',
      params: { projectId: project, featureName },
    });
  };

  const list = (
    <section ref={box} className={s.left} aria-label="Events">
      <Histogram filters={filters} onRange={onRange} />
      <p className="sr" aria-live="polite">
        {events.waiting > 0 && counted(events.waiting, 'new event')}
        {events.waiting === 0 && events.added > 0 && `${counted(events.added, 'event')} added`}
      </p>
      {events.waiting > 0 && (
        <button
          type="button"
          className={s.waiting}
          onClick={() => box.current?.querySelector('[role=listbox]')?.scrollTo(0, 0)}
        >
          <ArrowUp size={13} aria-hidden="true" /> {counted(events.waiting, 'new event')}
        </button>
      )}
      {events.error && <Failure error={events.error} onRetry={events.retry} />}
      {!events.error && total === undefined && <Skeleton rows={12} height={ROW_HEIGHT} />}
      {total !== undefined && (
        <List
          // A new search starts at the top.
          key={events.key}
          label="Events, newest first"
          className={cx(events.isPrevious && s.previous)}
          count={Math.min(rows.count, MAX_ROWS)}
          rowAt={at}
          keyOf={keyOf}
          height={height}
          render={renderRow}
          isHeading={isDay}
          activeIndex={index}
          onActive={select}
          onOpen={open}
          onVisible={events.onVisible}
          onTop={events.onTop}
        />
      )}
      <Keys
        hints={[
          ['j k', 'move'],
          ['Enter', 'open flag'],
          ['c', 'copy link'],
          ['/', 'filter'],
        ]}
        note={
          events.hasGap ? (
            <button type="button" className={s.gap} onClick={events.retry}>
              Some events did not load. Retry
            </button>
          ) : (
            total !== undefined && `${counted(total, 'event')} · times in ${zoneName()}`
          )
        }
      />
    </section>
  );
  return (
    <Split
      list={list}
      detail={
        selected !== undefined && (
          <Selected
            id={selected}
            rows={rows}
            index={index}
            total={total}
            onSelect={row => onSelect(String(row.lead.id))}
            onClose={() => onSelect(undefined)}
          />
        )
      }
    />
  );
}

function Selected({
  id,
  rows,
  index,
  total,
  onSelect,
  onClose,
}: {
  id: string;
  rows: Rows;
  index: number;
  total: number | undefined;
  onSelect(row: EventsRow): void;
  onClose(): void;
}) {
  const row = index < 0 ? undefined : rowAt(rows, index);
  const members = row?.kind === 'events' ? row : undefined;
  const listed = members?.events.find(event => String(event.id) === id);
  const loaded = useQuery({ ...eventQuery(id), enabled: listed === undefined });
  const event = listed ?? loaded.data;
  const newer = index < 0 ? undefined : neighbor(rows, index, -1);
  const older = index < 0 ? undefined : neighbor(rows, index, 1);
  const position = members && listed ? members.position + members.events.indexOf(listed) : undefined;
  return (
    <Detail
      label={`Event ${id}`}
      link={`/events/${id}`}
      bar={
        <>
          <span className="mono">#{id}</span>
          {position !== undefined && total !== undefined && (
            <span>
              {formatNumber(position)} of {formatNumber(total)}
            </span>
          )}
        </>
      }
      {...(newer ? { onNewer: () => onSelect(newer) } : {})}
      {...(older ? { onOlder: () => onSelect(older) } : {})}
      onClose={onClose}
    >
      {event && <EventDetail event={event} inLog />}
      {event === null && <NotFound />}
      {event === undefined && loaded.error && (
        <Failure error={loaded.error} onRetry={() => void loaded.refetch()} />
      )}
      {event === undefined && loaded.isFetching && <Skeleton rows={6} />}
    </Detail>
  );
}
