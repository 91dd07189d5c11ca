import { useQuery } from '@tanstack/react-query';
import { ArrowUp } from 'lucide-react';
import { useCallback, useRef, useSyncExternalStore } from 'react';
import { Failure, NotFound } from '../ui/Failure.tsx';
import { Keys } from '../ui/Keys.tsx';
import { List } from '../ui/List.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import { Detail, focusDetail, Split } from '../ui/Split.tsx';
import type { Search } from '../ui/search.ts';
import { formatDay } from '../ui/time.ts';
import { cx, formatCount, formatNumber } from '../ui/words.ts';
import { readZoneName } from '../ui/zone.ts';
import { EventDetail } from './EventDetail.tsx';
import { EventRow } from './EventRow.tsx';
import s from './events.module.css';
import { Histogram } from './Histogram.tsx';
import { eventQuery } from './queries.ts';
import { type EventsRow, findEventIndex, findNeighbor, type Row, type Rows, rowAt } from './rows.ts';
import type { useEvents } from './useEvents.ts';

const DAY_HEIGHT = 34;
const ROW_HEIGHT = 56;
/** The height of a row in a narrow window, where a sentence takes up to three lines. */
const NARROW_ROW_HEIGHT = 74;
/** Browsers limit an element's height to about 33 million pixels. */
const MAX_ROWS = 500_000;

const MAX_NARROW_WIDTH = 560;
const onResize = (listener: () => void) => {
  addEventListener('resize', listener);
  return () => removeEventListener('resize', listener);
};
const readRowHeight = (): number => (innerWidth <= MAX_NARROW_WIDTH ? NARROW_ROW_HEIGHT : ROW_HEIGHT);

const getKey = (row: Row): string => (row.kind === 'day' ? row.day : String(row.events.at(-1)?.id));
const isDay = (row: Row): boolean => row.kind === 'day';
const renderRow = (row: Row) =>
  row.kind === 'day' ? <span className={s.day}>{formatDay(row.day)}</span> : <EventRow row={row} />;

/** Shows the histogram and the list on the left, and the selected event on the right. The selection is in the URL. */
export function EventLog({
  events,
  filters,
  selected,
  hasFilterBar = false,
  onSelect,
  onRange,
}: {
  events: ReturnType<typeof useEvents>;
  filters: Search;
  /** The id of the selected event. */
  selected: string | undefined;
  /** Whether the page has a filter bar. */
  hasFilterBar?: boolean;
  onSelect(id: string | undefined): void;
  onRange(change: Search): void;
}) {
  const { rows, total } = events;
  const section = useRef<HTMLElement>(null);
  const rowHeight = useSyncExternalStore(onResize, readRowHeight);
  const index = selected === undefined ? -1 : findEventIndex(rows, Number(selected));
  const rowAtIndex = useCallback((position: number) => rowAt(rows, position), [rows]);
  const heightAt = useCallback(
    (position: number) => (rowAt(rows, position)?.kind === 'day' ? DAY_HEIGHT : rowHeight),
    [rows, rowHeight],
  );
  const select = useCallback(
    (row: Row) => {
      if (row.kind === 'events') onSelect(String(row.lead.id));
    },
    [onSelect],
  );
  const open = (row: Row) => {
    select(row);
    focusDetail();
  };

  const list = (
    <section ref={section} className={s.left} aria-label="Events">
      <Histogram filters={filters} onRange={onRange} />
      <p className="sr" aria-live="polite">
        {events.waiting > 0 && formatCount(events.waiting, 'new event')}
        {events.waiting === 0 && events.added > 0 && `${formatCount(events.added, 'event')} added`}
      </p>
      {events.waiting > 0 && (
        <button
          type="button"
          className={s.waiting}
          onClick={() => section.current?.querySelector('[role=listbox]')?.scrollTo(0, 0)}
        >
          <ArrowUp size={13} aria-hidden="true" /> {formatCount(events.waiting, 'new event')}
        </button>
      )}
      {events.error && <Failure error={events.error} onRetry={events.retry} />}
      {!events.error && total === undefined && <Skeleton rows={12} height={rowHeight} />}
      {total !== undefined && (
        <List
          // A new search starts at the top.
          key={events.key}
          label="Events, newest first"
          className={cx(events.isPrevious && s.previous)}
          count={Math.min(rows.count, MAX_ROWS)}
          rowAt={rowAtIndex}
          getKey={getKey}
          height={heightAt}
          render={renderRow}
          isHeading={isDay}
          activeIndex={index}
          onActive={select}
          onOpen={open}
          onVisible={events.onVisible}
          onAtTopChange={events.onAtTopChange}
        />
      )}
      <Keys
        hints={[
          ['j k', 'move'],
          ['Enter', 'open'],
          ['c', 'copy link'],
          ...(hasFilterBar ? ([['/', 'filter']] as const) : []),
        ]}
        note={
          events.hasGap ? (
            <button type="button" className={s.retry} onClick={events.retry}>
              Some events did not load. Retry
            </button>
          ) : (
            total !== undefined && `${formatCount(total, 'event')} · times in ${readZoneName()}`
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
          <SelectedEvent
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

function SelectedEvent({
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
  const eventsRow = row?.kind === 'events' ? row : undefined;
  const listedEvent = eventsRow?.events.find(event => String(event.id) === id);
  const loadedEvent = useQuery({ ...eventQuery(id), enabled: listedEvent === undefined });
  const event = listedEvent ?? loadedEvent.data;
  const newerRow = index < 0 ? undefined : findNeighbor(rows, index, -1);
  const olderRow = index < 0 ? undefined : findNeighbor(rows, index, 1);
  const position =
    eventsRow && listedEvent ? eventsRow.position + eventsRow.events.indexOf(listedEvent) : undefined;
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
      {...(newerRow ? { onNewer: () => onSelect(newerRow) } : {})}
      {...(olderRow ? { onOlder: () => onSelect(olderRow) } : {})}
      onClose={onClose}
    >
      {event && <EventDetail event={event} inLog />}
      {event === null && <NotFound />}
      {event === undefined && loadedEvent.error && (
        <Failure error={loadedEvent.error} onRetry={() => void loadedEvent.refetch()} />
      )}
      {event === undefined && loadedEvent.isFetching && <Skeleton rows={6} />}
    </Detail>
  );
}
