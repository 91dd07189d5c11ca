// biome-ignore-all lint/a11y/useSemanticElements: rows of a virtual list are positioned, which table elements do not allow
// biome-ignore-all lint/a11y/useFocusableInteractive: the focus stays on the list, which marks the active row
import { Button, Kbd, TextInput } from '@mantine/core';
import { ArrowDown, ArrowUp, Plus, Search as SearchIcon } from 'lucide-react';
import { type ReactNode, useCallback, useDeferredValue, useMemo, useRef } from 'react';
import type { OperationId } from '../api/can.ts';
import { useMissingPermissions } from '../api/me.ts';
import { Can } from './Can.tsx';
import { Empty } from './Empty.tsx';
import { Failure } from './Failure.tsx';
import { Keys } from './Keys.tsx';
import { List, type RowState } from './List.tsx';
import s from './ListPage.module.css';
import { Page } from './Page.tsx';
import { Cells, HeaderRow } from './Row.tsx';
import { Skeleton } from './Skeleton.tsx';
import { focusDetail, Split } from './Split.tsx';
import { useShortcuts } from './shortcuts.ts';
import { useFilters } from './useFilters.ts';
import { cx, formatCount } from './words.ts';

export type Column<Row> = {
  label: string;
  /** Compares rows by this column. The first column with `compare` decides the default order. */
  compare?(row: Row, other: Row): number;
};

/**
 * A list page with a title, a search field (`/`), a primary action (`n`), and a virtual table that the user navigates with J, K
 * and Enter. The search text and the order are in the URL (`query`, `sort`, `order`). The page stays fast with 10,000 rows,
 * because a key press only filters strings that are prepared once.
 */
export function ListPage<Row>({
  title,
  noun,
  plural,
  rows,
  error,
  onRetry,
  getKey,
  getSearchText,
  placeholder = 'Search',
  columns,
  className,
  height = 44,
  render,
  onOpen,
  activeKey,
  onActive,
  create,
  filters,
  filter,
  empty,
  detail,
  children,
}: {
  title: string;
  /** The singular noun for a row, such as "segment". */
  noun: string;
  plural?: string;
  /** All rows, or undefined while they load. */
  rows: readonly Row[] | undefined;
  error: unknown;
  onRetry(): void;
  getKey(row: Row): string;
  /** Returns the text to search in, ignoring case. */
  getSearchText(row: Row): string;
  /** Describes what the search covers: "Name, email or group". */
  placeholder?: string;
  columns: readonly Column<Row>[];
  /** The class that sets `grid-template-columns` for the header and the rows. */
  className?: string;
  /** 44 px with one line, 52 px with two. */
  height?: number;
  /** The cells of a row. Pass a stable function, because rows are memoized. */
  render(row: Row, state: RowState): ReactNode;
  /**
   * Called on Enter or a double-click, and should do the same as a click on the name in the row. The focus then moves to the
   * detail, if there is one.
   */
  onOpen?(row: Row): void;
  /** The key of the row that the URL selects, if the page has a detail. */
  activeKey?: string | undefined;
  onActive?(row: Row): void;
  /** The primary action. `call` is its operation in openapi.json. */
  create?: { label: string; call: OperationId; project?: string | undefined; run(): void };
  /** Controls below the title, such as a SegmentedControl. */
  filters?: ReactNode;
  /** The filter chosen with these controls. */
  filter?: { label: string; matches(row: Row): boolean; onRemove(): void } | undefined;
  /** The sentence to show if there are no rows. */
  empty: ReactNode;
  /** The detail of the selected row, on the right. */
  detail?: ReactNode;
  /** Panels and dialogs. */
  children?: ReactNode;
}) {
  const { search, push, replace } = useFilters();
  const typedText = typeof search.query === 'string' ? search.query : '';
  const input = useRef<HTMLInputElement>(null);
  const canCreate =
    useMissingPermissions(create?.call ?? UNUSED_CALL, { project: create?.project }).length === 0 &&
    create !== undefined;
  useShortcuts([
    { keys: '/', description: 'Search the list', run: () => input.current?.focus() },
    canCreate && { keys: 'n', description: create.label, run: create.run },
  ]);

  const sortableColumns = columns.filter(({ compare }) => compare);
  const sortColumn = sortableColumns.find(({ label }) => label === search.sort) ?? sortableColumns[0];
  const isDescending = search.order === 'desc';
  const searchableRows = useMemo(
    () => rows?.map(row => ({ row, text: getSearchText(row).toLowerCase() })),
    [rows, getSearchText],
  );
  const sortedRows = useMemo(() => {
    const compare = sortColumn?.compare;
    if (!searchableRows || !compare) return searchableRows;
    const sign = isDescending ? -1 : 1;
    return searchableRows.toSorted((a, b) => sign * compare(a.row, b.row));
  }, [searchableRows, sortColumn?.compare, isDescending]);
  // Deferred values let a key press paint the field and the active row first. A newer key press interrupts the rest.
  const searchText = useDeferredValue(typedText).trim().toLowerCase();
  const deferredDetail = useDeferredValue(detail);
  const matches = filter?.matches;
  const shownRows = useMemo(
    () =>
      sortedRows
        ?.filter(({ row, text }) => text.includes(searchText) && (matches?.(row) ?? true))
        .map(({ row }) => row),
    [sortedRows, searchText, matches],
  );
  const rowAt = useCallback((index: number) => shownRows?.[index], [shownRows]);
  const activeIndex = useMemo(
    () => (activeKey === undefined ? -1 : (shownRows?.findIndex(row => getKey(row) === activeKey) ?? -1)),
    [activeKey, shownRows, getKey],
  );
  const open = useMemo(
    () =>
      onOpen &&
      ((row: Row) => {
        onOpen(row);
        focusDetail();
      }),
    [onOpen],
  );
  const renderCells = useCallback(
    (row: Row, state: RowState) => <Cells className={cx(s.cells, className)}>{render(row, state)}</Cells>,
    [render, className],
  );

  const list = (
    <>
      {error !== null && error !== undefined && !rows && <Failure error={error} onRetry={onRetry} />}
      {!error && !rows && <Skeleton rows={8} height={height} />}
      {shownRows && shownRows.length > 0 && (
        <List
          as="table"
          label={title}
          count={shownRows.length}
          rowAt={rowAt}
          getKey={getKey}
          height={height}
          header={
            <HeaderRow className={cx(s.header, className)}>
              {columns.map(({ label, compare }) => (
                <span key={label} role="columnheader">
                  {compare ? (
                    <button
                      type="button"
                      onClick={() =>
                        push({
                          sort: label,
                          order: sortColumn?.label === label && !isDescending ? 'desc' : undefined,
                        })
                      }
                    >
                      {label}
                      {sortColumn?.label === label && <Arrow isDescending={isDescending} />}
                    </button>
                  ) : (
                    label
                  )}
                </span>
              ))}
            </HeaderRow>
          }
          render={renderCells}
          {...(onActive && { activeIndex, onActive })}
          {...(open && { onOpen: open })}
        />
      )}
      {shownRows?.length === 0 && (searchText !== '' || filter !== undefined) && (
        <Empty
          action={
            <div className={s.removals}>
              {searchText !== '' && (
                <Button onClick={() => push({ query: undefined })}>Remove “{typedText.trim()}”</Button>
              )}
              {filter && <Button onClick={filter.onRemove}>Remove “{filter.label}”</Button>}
            </div>
          }
        >
          No {plural ?? `${noun}s`} match.
        </Empty>
      )}
      {shownRows?.length === 0 && searchText === '' && filter === undefined && (
        <Empty
          action={
            create && (
              <Can call={create.call} project={create.project}>
                <Button onClick={create.run}>{create.label}</Button>
              </Can>
            )
          }
        >
          {empty}
        </Empty>
      )}
    </>
  );

  return (
    <Page
      title={title}
      note={rows && formatCount(rows.length, noun, plural)}
      actions={
        <>
          <TextInput
            ref={input}
            className={s.search}
            aria-label={`Search ${plural ?? `${noun}s`}`}
            placeholder={placeholder}
            leftSection={<SearchIcon size={14} />}
            rightSection={<Kbd>/</Kbd>}
            maxLength={200}
            value={typedText}
            onChange={event => replace({ query: event.target.value || undefined })}
          />
          {create && (
            <Can call={create.call} project={create.project}>
              <Button variant="filled" leftSection={<Plus size={14} />} onClick={create.run}>
                {create.label} <kbd className={s.kbd}>N</kbd>
              </Button>
            </Can>
          )}
        </>
      }
      head={filters && <div className={s.filters}>{filters}</div>}
    >
      <Split list={list} detail={deferredDetail} narrow />
      <Keys
        hints={[
          ['j k', 'move'],
          ...(onOpen ? [['Enter', 'open'] as const] : []),
          ...(canCreate ? [['n', create.label.toLowerCase()] as const] : []),
          ['/', 'search'],
        ]}
        note={shownRows && formatCount(shownRows.length, noun, plural)}
      />
      {children}
    </Page>
  );
}

/** Passed to the hook if the page has no create action, because hooks must always be called. The result is ignored. */
const UNUSED_CALL: OperationId = 'getUsers';

function Arrow({ isDescending }: { isDescending: boolean }) {
  const Icon = isDescending ? ArrowDown : ArrowUp;
  return <Icon size={12} aria-label={isDescending ? 'sorted descending' : 'sorted ascending'} />;
}
