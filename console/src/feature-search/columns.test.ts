import { expect, test } from 'vitest';
import { type ColumnId, fittingColumns } from './columns.ts';

const ALL: readonly ColumnId[] = ['project', 'type', 'state', 'seen', 'by', 'created'];

test.each([
  [1400, ALL],
  [1130, ['project', 'type', 'state', 'seen', 'by']],
  [900, ['project', 'type', 'state']],
  [792, ['project', 'state']],
  [400, []],
])('a list of %i px has the most important columns', (width, columns) => {
  expect(fittingColumns(ALL, 3, width)).toEqual(columns);
});
