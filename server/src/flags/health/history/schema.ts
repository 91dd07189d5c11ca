import { type Static, Type } from 'typebox';
import { SearchQuery } from '../../../platform/http/filter.ts';
import { Named, NamedObject } from '../../../platform/http/schema.ts';

const count = (description: string) => Type.Integer({ minimum: 0, description, examples: [3] });
const day = Type.String({ format: 'date', examples: ['2026-11-15'] });

export const HealthHistory = Named(
  'HealthHistory',
  Type.Object({
    project: Type.String({ examples: ['payments'] }),
    formula: Type.String({ description: 'How the health is computed' }),
    days: Type.Array(
      NamedObject('HealthDay', {
        date: day,
        health: Type.Integer({ minimum: 0, maximum: 100, examples: [78] }),
        technicalDebt: Type.Integer({ description: '100 less the health', examples: [22] }),
        features: count('Features that were not archived'),
        stale: count('Those that were marked stale'),
        potentiallyStale: count(
          'Those that were older than their type was meant to live, and not marked stale',
        ),
      }),
      { description: 'Each day at its end, UTC; today at this moment' },
    ),
  }),
);
export type HealthHistory = Static<typeof HealthHistory>;

export const HistoryQuery = SearchQuery({
  from: Type.Optional(
    Type.String({
      description: 'First day, UTC; 30 days with the last if left out',
      examples: ['2026-10-17'],
    }),
  ),
  to: Type.Optional(
    Type.String({ description: 'Last day, UTC; today if left out, and at most', examples: ['2026-11-15'] }),
  ),
});
