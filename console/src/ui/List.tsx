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
import { rowHeight } from './preferences.ts';
import { useShortcuts } from './shortcuts.ts';
import { cx } from './words.ts';

/** The header stays above the rows. Every table has one of this height. */
const HEADER_HEIGHT = 32;

export type RowState = { index: number; isActive: boolean; isSelected: boolean };

/**
 * A virtual list over all rows of a search. It renders what is visible and asks for the rest with `onVisible`. The active row
 * lives in the list, so that a key press renders two rows instead of the page (4 ms instead of 11). Keys: J, K and arrows move,
 * Enter opens, X selects.
 *
 * `as="listbox"`: rows contain no controls, one row is chosen (events). `as="table"`: rows contain `role="cell"`.
 */
export function List<Row>({
  label,
  as = 'listbox',
  count,
  rowAt,
  keyOf,
  height = rowHeight(),
  header,
  render,
  isHeading,
  activeIndex,
  onActive,
  onOpen,
  selected,
  onSelect,
  onVisible,
  onTop,
  className,
}: {
  label: string;
  as?: 'listbox' | 'table';
  /** The rows of the whole search, loaded or not. */
  count: number;
  /** The row, or undefined while it loads. */
  rowAt(index: number): Row | undefined;
  keyOf(row: Row): string;
  height?: number | ((index: number) => number);
  /** The head of a table: an element with role="row". */
  header?: ReactNode;
  /** The content of a row. Pass a stable function, because rows are memoized. */
  render(row: Row, state: RowState): ReactNode;
  /** Rows that are headings, such as days. They cannot be active. */
  isHeading?(row: Row): boolean;
  /** The active row, if the URL decides it. */
  activeIndex?: number;
  /** The active row changed. Put it into the URL with `replace`. */
  onActive?(row: Row, index: number): void;
  /** Enter or a double click. */
  onOpen?(row: Row): void;
  /** Keys of the selected rows. With `onSelect`, X toggles the active row. */
  selected?: ReadonlySet<string>;
  onSelect?(row: Row): void;
  /** The first and the last visible index, to load their pages. */
  onVisible?(first: number, last: number): void;
  /** Whether the first row is in view. A list that grows at the top must not move while somebody reads it. */
  onTop?(isAtTop: boolean): void;
  className?: string;
}) {
  const box = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState(activeIndex ?? -1);
  const sizeOf = typeof height === 'number' ? () => height : height;
  const list = useVirtualizer({
    count,
    getScrollElement: () => box.current,
    estimateSize: sizeOf,
    overscan: 8,
    scrollPaddingEnd: header === undefined ? 0 : HEADER_HEIGHT,
  });
  const items = list.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? 0;

  useEffect(() => onVisible?.(first, last), [first, last, onVisible]);
  // Different heights need a new layout.
  useLayoutEffect(() => {
    if (typeof height === 'function') list.measure();
  }, [height, list]);
  const givenRow = activeIndex === undefined || activeIndex < 0 ? undefined : rowAt(activeIndex);
  const givenKey = givenRow === undefined ? undefined : keyOf(givenRow);
  const scrolledTo = useRef<string>(undefined);
  useEffect(() => {
    if (activeIndex === undefined) return;
    setActive(activeIndex);
    // Rows that enter above the active one change its index, not the position of the reader.
    if (activeIndex >= 0 && givenKey !== scrolledTo.current)
      list.scrollToIndex(activeIndex, { align: 'auto' });
    scrolledTo.current = givenKey;
  }, [activeIndex, givenKey, list]);
  useEffect(() => onTop?.((box.current?.scrollTop ?? 0) === 0), [onTop]);

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
    for (let index = active + step; index >= 0 && index < count; index += step) {
      const row = rowAt(index);
      if (row === undefined) return list.scrollToIndex(index);
      if (isHeading?.(row)) continue;
      // The heading above the first row of a day stays visible.
      list.scrollToIndex(step < 0 && index > 0 ? index - 1 : index);
      list.scrollToIndex(index);
      return choose(index);
    }
  };
  const withActive = (run: ((row: Row) => void) | undefined) => {
    const row = active >= 0 ? rowAt(active) : undefined;
    if (row !== undefined) run?.(row);
  };
  useShortcuts([
    { keys: 'j', description: 'Next row', run: () => move(1) },
    { keys: 'k', description: 'Previous row', run: () => move(-1) },
    onSelect && { keys: 'x', description: 'Select the row', run: () => withActive(onSelect) },
    onOpen && {
      keys: 'Enter',
      description: 'Open the row',
      run: event => {
        // Enter on a focused link or button belongs to that control.
        const target =
          event.target instanceof Element ? event.target.closest('a, button, input, summary') : null;
        if (target instanceof HTMLElement) target.click();
        else withActive(onOpen);
      },
    },
  ]);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key];
    if (step === undefined || event.target !== box.current) return;
    event.preventDefault();
    move(step);
  };

  const activeRow = active >= 0 ? rowAt(active) : undefined;
  const isList = as === 'listbox';
  return (
    <div className={cx(s.frame, className)}>
      <div
        ref={box}
        className={s.scroll}
        role={as}
        aria-label={label}
        aria-rowcount={isList ? undefined : count}
        aria-activedescendant={isList && activeRow !== undefined ? idOf(keyOf(activeRow)) : undefined}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onScroll={onTop && (event => onTop(event.currentTarget.scrollTop === 0))}
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
              const key = row === undefined ? undefined : keyOf(row);
              return (
                <RowFrame
                  key={key ?? item.index}
                  id={key === undefined ? undefined : idOf(key)}
                  row={row}
                  index={item.index}
                  start={item.start}
                  size={item.size}
                  isList={isList}
                  isHeading={row !== undefined && (isHeading?.(row) ?? false)}
                  isActive={item.index === active}
                  isSelected={key !== undefined && (selected?.has(key) ?? false)}
                  render={render as (row: unknown, state: RowState) => ReactNode} // The same Row.
                  choose={choose}
                  onOpen={onOpen as ((row: unknown) => void) | undefined} // The same Row.
                />
              );
            })}
          </div>
        </div>
      </div>
    </div>
  );
}

const idOf = (key: string): string => `row-${key.replace(/\W/g, '-')}`;

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
