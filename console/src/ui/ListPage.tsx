// biome-ignore-all lint/a11y/useSemanticElements: rows of a virtual list are positioned, which table elements do not allow
// biome-ignore-all lint/a11y/useFocusableInteractive: the list moves the active row
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
import { counted, cx } from './words.ts';

export type Column<Row> = {
  label: string;
  /** Sorts by this column. The first column with it decides the order of the page. */
  compare?(one: Row, other: Row): number;
};

/**
 * A page that lists things: title, search field (`/`), primary action (`n`), and a virtual table of rows that J, K and Enter move
 * and open. The search text and the order are in the URL (`query`, `sort`, `order`). Stays fast with 10,000 rows, because a key
 * press filters strings that are prepared once.
 */
export function ListPage<Row>({
  title,
  noun,
  plural,
  rows,
  error,
  onRetry,
  keyOf,
  textOf,
  placeholder = 'Search',
  columns,
  className,
  height = 44,
  render,
  onOpen,
  active,
  onActive,
  create,
  filters,
  filter,
  empty,
  detail,
  children,
}: {
  title: string;
  /** One row in a word: "segment". */
  noun: string;
  plural?: string;
  /** All rows, or undefined while they load. */
  rows: readonly Row[] | undefined;
  error: unknown;
  onRetry(): void;
  keyOf(row: Row): string;
  /** What the search finds, ignoring case. */
  textOf(row: Row): string;
  /** Names what the search finds: "Name, email or group". */
  placeholder?: string;
  columns: readonly Column<Row>[];
  /** The class with `grid-template-columns`, for the header and the rows. */
  className?: string;
  /** 44 px with one line, 52 px with two. */
  height?: number;
  /** The cells of a row. Pass a stable function, because rows are memoized. */
  render(row: Row, state: RowState): ReactNode;
  /** Enter or a double click. The focus moves to the detail, if there is one. */
  onOpen?(row: Row): void;
  /** The key of the row that the URL selects, if the page has a detail. */
  active?: string | undefined;
  onActive?(row: Row): void;
  /** The primary action. `call` is its operation in openapi.json. */
  create?: { label: string; call: OperationId; project?: string | undefined; run(): void };
  /** Controls below the title, such as a SegmentedControl. */
  filters?: ReactNode;
  /** The filter that these controls have chosen. */
  filter?: { label: string; matches(row: Row): boolean; onRemove(): void } | undefined;
  /** The sentence for a list without rows. */
  empty: ReactNode;
  /** The selected row at the right: a `Detail`. */
  detail?: ReactNode;
  /** Panels and dialogs. */
  children?: ReactNode;
}) {
  const { search, push, replace } = useFilters();
  const typed = typeof search.query === 'string' ? search.query : '';
  const input = useRef<HTMLInputElement>(null);
  const mayCreate =
    useMissingPermissions(create?.call ?? NONE, { project: create?.project }).length === 0 &&
    create !== undefined;
  useShortcuts([
    { keys: '/', description: 'Search the list', run: () => input.current?.focus() },
    mayCreate && { keys: 'n', description: create.label, run: create.run },
  ]);

  const sortable = columns.filter(({ compare }) => compare);
  const sorting = sortable.find(({ label }) => label === search.sort) ?? sortable[0];
  const isDown = search.order === 'desc';
  const prepared = useMemo(
    () => rows?.map(row => ({ row, text: textOf(row).toLowerCase() })),
    [rows, textOf],
  );
  const sorted = useMemo(() => {
    const compare = sorting?.compare;
    if (!prepared || !compare) return prepared;
    const sign = isDown ? -1 : 1;
    return prepared.toSorted((one, other) => sign * compare(one.row, other.row));
  }, [prepared, sorting?.compare, isDown]);
  // A key press paints the field and the active row first. The matching rows and the detail follow, and a newer key interrupts them.
  const words = useDeferredValue(typed).trim().toLowerCase();
  const shownDetail = useDeferredValue(detail);
  const matches = filter?.matches;
  const shown = useMemo(
    () =>
      sorted
        ?.filter(({ row, text }) => text.includes(words) && (matches?.(row) ?? true))
        .map(({ row }) => row),
    [sorted, words, matches],
  );
  const rowAt = useCallback((index: number) => shown?.[index], [shown]);
  const activeIndex = useMemo(
    () => (active === undefined ? -1 : (shown?.findIndex(row => keyOf(row) === active) ?? -1)),
    [active, shown, keyOf],
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
      {shown && shown.length > 0 && (
        <List
          as="table"
          label={title}
          count={shown.length}
          rowAt={rowAt}
          keyOf={keyOf}
          height={height}
          header={
            <HeaderRow className={cx(s.header, className)}>
              {columns.map(({ label, compare }) => (
                <span key={label} role="columnheader">
                  {compare ? (
                    <button
                      type="button"
                      onClick={() =>
                        push({ sort: label, order: sorting?.label === label && !isDown ? 'desc' : undefined })
                      }
                    >
                      {label}
                      {sorting?.label === label && <Arrow isDown={isDown} />}
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
      {shown?.length === 0 && (words !== '' || filter !== undefined) && (
        <Empty
          action={
            <div className={s.removals}>
              {words !== '' && (
                <Button onClick={() => push({ query: undefined })}>Remove “{typed.trim()}”</Button>
              )}
              {filter && <Button onClick={filter.onRemove}>Remove “{filter.label}”</Button>}
            </div>
          }
        >
          No {plural ?? `${noun}s`} match.
        </Empty>
      )}
      {shown?.length === 0 && words === '' && filter === undefined && (
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
      note={rows && counted(rows.length, noun, plural)}
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
            value={typed}
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
      <Split list={list} detail={shownDetail} narrow />
      <Keys
        hints={[
          ['j k', 'move'],
          ...(onOpen ? [['Enter', 'open'] as const] : []),
          ...(mayCreate ? [['n', create.label.toLowerCase()] as const] : []),
          ['/', 'search'],
        ]}
        note={shown && counted(shown.length, noun, plural)}
      />
      {children}
    </Page>
  );
}

/** Called even if the page creates nothing; the result is then not used. */
const NONE: OperationId = 'getUsers';

function Arrow({ isDown }: { isDown: boolean }) {
  const Icon = isDown ? ArrowDown : ArrowUp;
  return <Icon size={12} aria-label={isDown ? 'sorted down' : 'sorted up'} />;
}
