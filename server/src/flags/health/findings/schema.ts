import { type Static, Type } from 'typebox';
import { page, SearchQuery } from '../../../platform/http/filter.ts';
import { Named, NamedObject, Nullable, Ref, Timestamp } from '../../../platform/http/schema.ts';
import { RULES, type RuleName } from './rules.ts';

const count = (description: string) => Type.Integer({ minimum: 0, description, examples: [3] });
const points = Type.Number({
  description: 'What the health gains if this is repaired; 0: it does not count into the health',
  examples: [1.25],
});
export const ruleName = Type.Unsafe<RuleName>({
  title: 'HealthRuleName',
  type: 'string',
  description: 'The rule that found it',
  enum: RULES.map(({ name }) => name),
  examples: ['past-lifetime'],
});
const remedy = Type.String({ examples: ['Remove it from the code and archive it.'] });

export const Snooze = Named(
  'HealthSnooze',
  Type.Object({
    reason: Type.String({ examples: ['The campaign runs until spring'] }),
    until: Timestamp('When the finding comes back'),
    createdAt: Timestamp('When it was put off'),
    createdBy: Type.String({ examples: ['alice'] }),
  }),
);
export type Snooze = Static<typeof Snooze>;

export const NewSnooze = NamedObject(
  'NewHealthSnooze',
  {
    reason: Type.String({ minLength: 1, maxLength: 1_000, examples: ['The campaign runs until spring'] }),
    until: Type.String({ format: 'date-time', maxLength: 40, description: 'At most 366 days from now' }),
  },
  {
    additionalProperties: false,
    examples: [{ reason: 'The campaign runs until spring', until: '2027-03-01T00:00:00.000Z' }],
  },
);
export type NewSnooze = Static<typeof NewSnooze>;

const Evidence = NamedObject('HealthEvidence', {
  since: Nullable(Timestamp('Since when the rule finds it; null: not known')),
  type: Type.Optional(Type.String({ description: 'Type of the feature', examples: ['release'] })),
  createdAt: Timestamp('When the feature or segment was created'),
  ageDays: Type.Integer({ description: 'Whole days since then', examples: [120] }),
  lifetimeDays: Type.Optional(
    Nullable(
      Type.Integer({ description: 'How long features of the type are meant to live; null: for good' }),
    ),
  ),
  lastSeenAt: Type.Optional(Nullable(Timestamp('When an SDK last asked for the feature; null: never'))),
  environments: Type.Array(
    NamedObject('HealthEvidenceEnvironment', {
      name: Type.String({ examples: ['production'] }),
      enabled: Type.Boolean(),
      switchedAt: Timestamp('Since when it is on or off there'),
      lastSeenAt: Nullable(Timestamp('When an SDK last asked for it there; null: never')),
      hasEnabledStrategies: Type.Boolean(),
    }),
  ),
  lastChange: Nullable(
    NamedObject('HealthEvidenceChange', {
      id: Type.Integer({ description: 'Id of the event', examples: [4211] }),
      type: Type.String({ examples: ['feature-strategy-update'] }),
      at: Timestamp('When it changed'),
      by: Type.String({ examples: ['alice'] }),
    }),
  ),
  archivedParents: Type.Optional(Type.Array(Type.String(), { description: 'What it depends on in vain' })),
  clonedFrom: Type.Optional(
    Type.String({ description: 'The feature it still equals', examples: ['checkout'] }),
  ),
  references: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Features that refer to the segment without using it, 10 at most',
    }),
  ),
});

export const Finding = Named(
  'HealthFinding',
  Type.Object({
    id: Type.String({ description: 'Rule and subject', examples: ['past-lifetime:checkout-v2'] }),
    rule: ruleName,
    feature: Nullable(Type.String({ description: 'What it is about', examples: ['checkout-v2'] })),
    segment: Type.Unsafe<{ id: number; name: string } | null>({
      title: 'HealthFindingSegment',
      type: ['object', 'null'],
      description: 'What it is about, if it is not a feature',
      properties: { id: { type: 'integer' }, name: { type: 'string' } },
      required: ['id', 'name'],
    }),
    evidence: Evidence,
    remedy,
    points,
    snooze: Type.Unsafe<Snooze | null>({ anyOf: [Ref(Snooze), { type: 'null' }] }),
  }),
);
export type Finding = Static<typeof Finding>;

export const ProjectHealth = Named(
  'ProjectHealth',
  Type.Object({
    project: Type.String({ examples: ['payments'] }),
    at: Timestamp('The moment of all these figures'),
    health: Type.Integer({ minimum: 0, maximum: 100, examples: [78] }),
    technicalDebt: Type.Integer({ description: '100 less the health', examples: [22] }),
    formula: Type.String({ description: 'How the health is computed' }),
    counts: NamedObject('HealthCounts', {
      features: count('Features that are not archived'),
      stale: count('Those that are marked stale'),
      potentiallyStale: count('Those that are older than their type is meant to live, and not marked stale'),
    }),
    debtBudget: NamedObject('DebtBudget', {
      limit: Nullable(
        Type.Integer({ description: 'Most stale and potentially stale features; null: any number' }),
      ),
      used: count('Stale and potentially stale features'),
      exceeded: Type.Boolean({ description: 'New features are refused' }),
    }),
    rules: Type.Array(
      NamedObject('HealthRule', {
        rule: ruleName,
        description: Type.String({ examples: ['Older than its type is meant to live'] }),
        remedy,
        findings: count('Findings that are not put off'),
        snoozed: count('Findings that are put off'),
        points,
        conclusive: Type.Boolean({
          description: 'false: there is no evidence to judge by, such as no SDK that was ever seen',
        }),
      }),
      { description: 'Every rule, with what repairing all of its findings would gain' },
    ),
    findings: Type.Array(Ref(Finding)),
    total: count('Findings that match the filters'),
  }),
);
export type ProjectHealth = Static<typeof ProjectHealth>;

export const HealthQuery = SearchQuery({
  rule: Type.Optional(
    Type.String({
      description: 'IS: a rule, or IS_ANY_OF: several',
      examples: ['IS_ANY_OF:stale,past-lifetime'],
    }),
  ),
  feature: Type.Optional(
    Type.String({ description: 'IS: a feature, or IS_ANY_OF: several', examples: ['IS:checkout-v2'] }),
  ),
  snoozed: Type.Optional(
    Type.String({
      description: 'false: findings that are not put off (the default); true: those that are; all: both',
      examples: ['false'],
    }),
  ),
  ...page,
});
