import { expect, test } from 'vitest';
import { type ColumnId, fitColumns } from './columns.ts';

const ALL_COLUMNS: readonly ColumnId[] = ['project', 'type', 'state', 'seen', 'by', 'created'];

test.each([
  [1400, ALL_COLUMNS],
  [1130, ['project', 'type', 'state', 'seen', 'by']],
  [900, ['project', 'type', 'state']],
  [792, ['project', 'state']],
  [400, []],
])('shows as many columns as fit into a list that is %i px wide', (width, columns) => {
  expect(fitColumns(ALL_COLUMNS, 3, width)).toEqual(columns);
});
