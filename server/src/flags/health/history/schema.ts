import { SearchQuery } from '@halyard/plane/platform/http/input/filter.ts';
import { NamedObject, Optional, SharedObject } from '@halyard/plane/platform/http/schema.ts';
import { type Static, Type } from 'typebox';

const count = (description: string) => Type.Integer({ minimum: 0, description, examples: [3] });
const day = Type.String({ description: 'UTC day', format: 'date', examples: ['2026-11-15'] });

export const HealthHistory = SharedObject('HealthHistory', {
  project: Type.String({ description: 'Id of the project', examples: ['payments'] }),
  formula: Type.String({ description: 'How the health is computed' }),
  days: Type.Array(
    NamedObject('HealthDay', {
      date: day,
      health: Type.Integer({
        description:
          'Health from 0 to 100, the percentage of features that are neither stale nor potentially stale',
        minimum: 0,
        maximum: 100,
        examples: [78],
      }),
      technicalDebt: Type.Integer({ description: 'Technical debt: 100 minus the health', examples: [22] }),
      features: count('Active features'),
      stale: count('Active features that were marked as stale'),
      potentiallyStale: count(
        'Active features that were older than the lifetime of their type and not marked as stale',
      ),
    }),
    { description: 'The health at the end of each day, UTC; for today, the current health' },
  ),
});
export type HealthHistory = Static<typeof HealthHistory>;

export const HistoryQuery = SearchQuery({
  from: Optional.String({
    description: 'First day, UTC; by default 29 days before the last day',
    examples: ['2026-10-17'],
  }),
  to: Optional.String({
    description: 'Last day, UTC; today by default. A later day counts as today.',
    examples: ['2026-11-15'],
  }),
});
