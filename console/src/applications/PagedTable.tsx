// biome-ignore-all lint/a11y/useSemanticElements: rows of a virtual list are positioned, which table elements do not allow
// biome-ignore-all lint/a11y/useFocusableInteractive: the focus stays on the list, which marks the active row
import { type ReactNode, useCallback } from 'react';
import { Failure } from '../ui/Failure.tsx';
import { Keys } from '../ui/Keys.tsx';
import { List } from '../ui/List.tsx';
import { Cells, HeaderRow } from '../ui/Row.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import type { Pages } from '../ui/usePages.ts';

/** Shows a table of search results that load page by page. `empty` explains why there are no rows. */
export function PagedTable<Row>({
  label,
  pages,
  getKey,
  columns,
  className,
  render,
  onOpen,
  empty,
}: {
  label: string;
  pages: Pages<Row>;
  getKey(row: Row): string;
  columns: readonly string[];
  /** The class that sets `grid-template-columns`. */
  className: string | undefined;
  /** The cells of a row. Pass a stable function, because rows are memoized. */
  render(row: Row): ReactNode;
  onOpen(row: Row): void;
  empty: ReactNode;
}) {
  const renderCells = useCallback(
    (row: Row) => <Cells className={className}>{render(row)}</Cells>,
    [render, className],
  );
  if (pages.error) return <Failure error={pages.error} onRetry={pages.retry} />;
  if (pages.total === undefined) return <Skeleton rows={8} />;
  if (pages.total === 0) return empty;
  return (
    <>
      <List
        as="table"
        label={label}
        count={pages.total}
        rowAt={pages.rowAt}
        getKey={getKey}
        header={
          <HeaderRow className={className}>
            {columns.map(column => (
              <span key={column} role="columnheader">
                {column}
              </span>
            ))}
          </HeaderRow>
        }
        render={renderCells}
        onVisible={pages.onVisible}
        onOpen={onOpen}
      />
      <Keys
        hints={[
          ['j k', 'move'],
          ['Enter', 'open'],
        ]}
      />
    </>
  );
}
