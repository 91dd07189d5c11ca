import { expect, test } from 'vitest';
import { type ColumnId, fitColumns } from './columns.ts';

const ALL_COLUMNS: readonly ColumnId[] = ['project', 'type', 'state', 'stage', 'seen', 'by', 'created'];

test.each([
  [1400, ALL_COLUMNS],
  [1230, ['project', 'type', 'state', 'stage', 'seen', 'by']],
  [928, ['project', 'type', 'state']],
  [820, ['project', 'state']],
  [400, []],
])('shows as many columns as fit into a list that is %i px wide', (width, columns) => {
  expect(fitColumns(ALL_COLUMNS, 3, width)).toEqual(columns);
});
