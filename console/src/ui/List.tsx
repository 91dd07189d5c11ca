// biome-ignore-all lint/a11y/noStaticElementInteractions: roles depend on `as`
// biome-ignore-all lint/a11y/useKeyWithClickEvents: the list handles the keys of its rows
// biome-ignore-all lint/a11y/useAriaPropsSupportedByRole: roles depend on `as`
import { useVirtualizer } from '@tanstack/react-virtual';
import {
  type KeyboardEvent,
  memo,
  type ReactNode,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import s from './List.module.css';
import { readRowHeight } from './preferences.ts';
import { useShortcuts } from './shortcuts.ts';
import { cx } from './words.ts';

/** The height of the sticky header, which is the same in every table. */
const HEADER_HEIGHT = 32;

export type RowState = { index: number; isActive: boolean; isSelected: boolean };

/**
 * A virtual list of all rows that match a search. The list renders only the visible rows, and `onVisible` reports them so that
 * they can be loaded. The list itself stores the active row, so a key press renders two rows instead of the whole page (4 ms instead
 * of 11 ms). J, K and the arrow keys move, Enter opens, and X selects.
 *
 * With `as="listbox"`, rows contain no controls and one row is selected, for example in the event list. With `as="table"`, rows
 * contain elements with `role="cell"`.
 */
export function List<Row>({
  label,
  as = 'listbox',
  count,
  rowAt,
  getKey,
  height = readRowHeight(),
  header,
  render,
  isHeading,
  activeIndex,
  onActive,
  onOpen,
  selected,
  onSelect,
  onVisible,
  onAtTopChange,
  className,
}: {
  label: string;
  as?: 'listbox' | 'table';
  /** The number of rows that match the search, loaded or not. */
  count: number;
  /** The row, or undefined while it loads. */
  rowAt(index: number): Row | undefined;
  getKey(row: Row): string;
  height?: number | ((index: number) => number);
  /** The table header, which must be an element with role="row". */
  header?: ReactNode;
  /** The content of a row. Pass a stable function, because rows are memoized. */
  render(row: Row, state: RowState): ReactNode;
  /** Whether a row is a heading, such as a day. Headings cannot be active. */
  isHeading?(row: Row): boolean;
  /** The index of the active row, if the URL determines it. */
  activeIndex?: number;
  /** Called when the active row changes. Put the row into the URL with `replace`. */
  onActive?(row: Row, index: number): void;
  /** Called on Enter or a double-click. */
  onOpen?(row: Row): void;
  /** Keys of the selected rows. With `onSelect`, X toggles the active row. */
  selected?: ReadonlySet<string>;
  onSelect?(row: Row): void;
  /** Called with the first and the last visible index, so that their pages can be loaded. */
  onVisible?(firstIndex: number, lastIndex: number): void;
  /**
   * Called when the user scrolls, with whether the list is at the top. A list that grows at the top must not move while somebody
   * reads it.
   */
  onAtTopChange?(isAtTop: boolean): void;
  className?: string;
}) {
  const box = useRef<HTMLDivElement>(null);
  const [activePosition, setActive] = useState(activeIndex ?? -1);
  const getHeight = typeof height === 'number' ? () => height : height;
  const list = useVirtualizer({
    count,
    getScrollElement: () => box.current,
    estimateSize: getHeight,
    overscan: 8,
    scrollPaddingEnd: header === undefined ? 0 : HEADER_HEIGHT,
  });
  const items = list.getVirtualItems();
  const firstIndex = items[0]?.index ?? 0;
  const lastIndex = items.at(-1)?.index ?? 0;

  useEffect(() => onVisible?.(firstIndex, lastIndex), [firstIndex, lastIndex, onVisible]);
  // The virtualizer caches heights, so it must measure again when they change.
  useLayoutEffect(() => {
    if (typeof height === 'function') list.measure();
  }, [height, list]);
  const urlRow = activeIndex === undefined || activeIndex < 0 ? undefined : rowAt(activeIndex);
  const urlKey = urlRow === undefined ? undefined : getKey(urlRow);
  const scrolledKey = useRef<string>(undefined);
  useEffect(() => {
    if (activeIndex === undefined) return;
    setActive(activeIndex);
    // Rows that arrive above the active row change its index, but must not change the reader's scroll position.
    if (activeIndex >= 0 && urlKey !== scrolledKey.current)
      list.scrollToIndex(activeIndex, { align: 'auto' });
    scrolledKey.current = urlKey;
  }, [activeIndex, urlKey, list]);
  useEffect(() => onAtTopChange?.((box.current?.scrollTop ?? 0) === 0), [onAtTopChange]);
  // Without dependencies, because new columns make the content wider. A new window width renders the columns again.
  useEffect(() => markHiddenColumns(box.current));

  const choose = useCallback(
    (index: number) => {
      const row = rowAt(index);
      if (row === undefined || isHeading?.(row)) return;
      setActive(index);
      onActive?.(row, index);
    },
    [rowAt, isHeading, onActive],
  );
  const move = (step: number) => {
    for (let index = activePosition + step; index >= 0 && index < count; index += step) {
      const row = rowAt(index);
      if (row === undefined) return list.scrollToIndex(index);
      if (isHeading?.(row)) continue;
      // When moving up, scrolling to the previous index first keeps the heading above a day's first row visible.
      list.scrollToIndex(step < 0 && index > 0 ? index - 1 : index);
      list.scrollToIndex(index);
      return choose(index);
    }
  };
  const runOnActive = (run: ((row: Row) => void) | undefined) => {
    const row = activePosition >= 0 ? rowAt(activePosition) : undefined;
    if (row !== undefined) run?.(row);
  };
  useShortcuts([
    { keys: 'j', description: 'Next row', run: () => move(1) },
    { keys: 'k', description: 'Previous row', run: () => move(-1) },
    onSelect && { keys: 'x', description: 'Select the row', run: () => runOnActive(onSelect) },
    onOpen && {
      keys: 'Enter',
      description: 'Open the row',
      run: event => {
        // On a focused link or button, Enter activates that control.
        const target =
          event.target instanceof Element ? event.target.closest('a, button, input, summary') : null;
        if (target instanceof HTMLElement) target.click();
        else runOnActive(onOpen);
      },
    },
  ]);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key];
    if (step === undefined || event.target !== box.current) return;
    event.preventDefault();
    move(step);
  };

  const activeRow = activePosition >= 0 ? rowAt(activePosition) : undefined;
  const isList = as === 'listbox';
  return (
    <div className={cx(s.frame, className)}>
      <div
        ref={box}
        className={s.scroll}
        role={as}
        aria-label={label}
        aria-rowcount={isList ? undefined : count}
        aria-activedescendant={isList && activeRow !== undefined ? toElementId(getKey(activeRow)) : undefined}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onScroll={({ currentTarget }) => {
          onAtTopChange?.(currentTarget.scrollTop === 0);
          markHiddenColumns(currentTarget);
        }}
      >
        <div role="presentation" className={s.content}>
          {header && (
            <div role="presentation" className={s.header} style={{ height: HEADER_HEIGHT }}>
              {header}
            </div>
          )}
          <div
            role={isList ? 'presentation' : 'rowgroup'}
            className={s.all}
            style={{ height: list.getTotalSize() }}
          >
            {items.map(item => {
              const row = rowAt(item.index);
              const key = row === undefined ? undefined : getKey(row);
              return (
                <RowFrame
                  key={key ?? item.index}
                  id={key === undefined ? undefined : toElementId(key)}
                  row={row}
                  index={item.index}
                  start={item.start}
                  size={item.size}
                  isList={isList}
                  isHeading={row !== undefined && (isHeading?.(row) ?? false)}
                  isActive={item.index === activePosition}
                  isSelected={key !== undefined && (selected?.has(key) ?? false)}
                  render={render as (row: unknown, state: RowState) => ReactNode} // The list and the row have the same type Row.
                  choose={choose}
                  onOpen={onOpen as ((row: unknown) => void) | undefined} // See `render`.
                />
              );
            })}
          </div>
        </div>
      </div>
    </div>
  );
}

/** Marks a list whose last columns are beyond the right edge, which then fades. */
function markHiddenColumns(box: HTMLElement | null): void {
  box?.toggleAttribute('data-more', box.scrollLeft + box.clientWidth < box.scrollWidth - 1);
}

const toElementId = (key: string): string => `row-${key.replace(/\W/g, '-')}`;

const RowFrame = memo(function RowFrame({
  id,
  row,
  index,
  start,
  size,
  isList,
  isHeading,
  isActive,
  isSelected,
  render,
  choose,
  onOpen,
}: {
  id: string | undefined;
  row: unknown;
  index: number;
  start: number;
  size: number;
  isList: boolean;
  isHeading: boolean;
  isActive: boolean;
  isSelected: boolean;
  render(row: unknown, state: RowState): ReactNode;
  choose(index: number): void;
  onOpen: ((row: unknown) => void) | undefined;
}) {
  const style = { height: size, transform: `translateY(${start}px)` };
  if (row === undefined)
    return (
      <div className={s.row} style={style} role="presentation">
        <i className={s.bone} />
      </div>
    );
  if (isHeading)
    return (
      <div className={s.heading} style={style} role="presentation">
        {render(row, { index, isActive, isSelected })}
      </div>
    );
  return (
    <div
      id={id}
      className={s.row}
      style={style}
      role={isList ? 'option' : 'row'}
      aria-selected={isList ? isActive : isSelected}
      aria-rowindex={isList ? undefined : index + 2}
      data-active={isActive || undefined}
      data-selected={isSelected || undefined}
      onClick={() => choose(index)}
      onDoubleClick={() => onOpen?.(row)}
    >
      {render(row, { index, isActive, isSelected })}
    </div>
  );
});
