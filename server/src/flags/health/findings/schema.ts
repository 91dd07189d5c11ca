import { page, SearchQuery } from '@halyard/plane/platform/http/input/filter.ts';
import {
  NamedObject,
  Nullable,
  Optional,
  Ref,
  SharedObject,
  Timestamp,
} from '@halyard/plane/platform/http/schema.ts';
import { type Static, Type } from 'typebox';
import { RULES, type RuleName } from '../rules/rules.ts';
import { Snooze } from '../snoozes/schema.ts';

const count = (description: string) => Type.Integer({ minimum: 0, description, examples: [3] });
const points = Type.Number({
  description: 'How many points fixing this would add to the health; 0 if the rule does not affect it',
  examples: [1.25],
});
export const ruleName = Type.Unsafe<RuleName>({
  title: 'HealthRuleName',
  type: 'string',
  description: 'Name of the rule',
  enum: RULES.map(({ name }) => name),
  examples: ['past-lifetime'],
});
const remedy = Type.String({
  description: 'How to fix a finding of the rule',
  examples: ['Remove the feature from the code, then archive it.'],
});

const Evidence = NamedObject('HealthEvidence', 'What the finding is based on', {
  since: Nullable(Timestamp('When the finding began; null if unknown')),
  type: Optional.String({ description: 'Type of the feature', examples: ['release'] }),
  createdAt: Timestamp('When the feature or segment was created'),
  ageDays: Type.Integer({
    description: 'Full days since the feature or segment was created',
    examples: [120],
  }),
  lifetimeDays: Type.Optional(
    Nullable.Integer({ description: 'Lifetime of the feature type in days; null: unlimited' }),
  ),
  lastSeenAt: Type.Optional(Nullable(Timestamp('When an SDK last requested the feature; null: never'))),
  environments: Type.Array(
    NamedObject('HealthEvidenceEnvironment', 'The feature in one environment', {
      name: Type.String({ description: 'Name of the environment', examples: ['production'] }),
      enabled: Type.Boolean({ description: 'Whether the feature is enabled in the environment' }),
      toggledAt: Timestamp('When the feature was last enabled or disabled in the environment'),
      lastSeenAt: Nullable(
        Timestamp('When an SDK last requested the feature in the environment; null: never'),
      ),
      hasEnabledStrategies: Type.Boolean({
        description: 'Whether the feature has an enabled strategy in the environment',
      }),
    }),
  ),
  lastChange: Nullable(
    NamedObject('HealthEvidenceChange', 'The last change to the feature', {
      id: Type.Integer({ description: 'Id of the event', examples: [4211] }),
      type: Type.String({ description: 'Event type', examples: ['feature-strategy-update'] }),
      at: Timestamp('When the feature changed'),
      by: Type.String({ description: 'Who changed the feature', examples: ['alice'] }),
    }),
  ),
  unreadable: Optional.Array(
    NamedObject('HealthEvidenceString', {
      environment: Type.String({ description: 'Name of the environment', examples: ['production'] }),
      segment: Nullable.String({
        description: 'Name of the segment with the string; null: the strategy itself',
        examples: ['beta-users'],
      }),
      string: Type.String({ description: 'The first 100 characters', examples: ['C:\\'] }),
    }),
    { description: 'Up to 10 strings that some SDKs cannot read' },
  ),
  violations: Optional.Array(Type.String(), { description: 'Rules that the imported feature violates' }),
  archivedParents: Optional.Array(Type.String(), {
    description: 'Archived features that the feature depends on',
  }),
  clonedFrom: Optional.String({
    description: 'Source that the copy is still identical to',
    examples: ['checkout'],
  }),
  result: Type.Optional(
    Type.Unsafe<'enabled' | 'disabled'>({
      type: 'string',
      enum: ['enabled', 'disabled'],
      description: 'The result of every evaluation in production',
      examples: ['enabled'],
    }),
  ),
  variant: Type.Optional(
    Nullable.String({
      description: 'The variant of every evaluation in production; null: none was reported',
      examples: ['blue'],
    }),
  ),
  applications: Optional.Array(
    NamedObject('HealthEvidenceApplication', {
      name: Type.String({ description: 'Name of the application', examples: ['checkout'] }),
      environments: Type.Array(Type.String(), {
        description: 'Environments where the application requested the feature',
        examples: [['production']],
      }),
      lastSeenAt: Timestamp('When the application last requested the feature, to the hour'),
    }),
    { description: 'Up to 100 applications that requested the feature after it was archived' },
  ),
  references: Optional.Array(Type.String(), {
    description: 'Up to 10 features that are archived, or use the segment only in disabled strategies',
  }),
});

export const Finding = SharedObject('HealthFinding', 'A finding', {
  id: Type.String({
    description: 'Rule and subject, separated by a colon',
    examples: ['past-lifetime:checkout-v2'],
  }),
  rule: ruleName,
  feature: Nullable.String({
    description: 'Name of the feature that the finding is about',
    examples: ['checkout-v2'],
  }),
  segment: Type.Unsafe<{ id: number; name: string } | null>({
    title: 'HealthFindingSegment',
    type: ['object', 'null'],
    description: 'Segment that the finding is about; null if it is about a feature',
    properties: {
      id: { type: 'integer', description: 'Id of the segment' },
      name: { type: 'string', description: 'Name of the segment' },
    },
    required: ['id', 'name'],
  }),
  evidence: Evidence,
  remedy,
  points,
  snooze: Type.Unsafe<Snooze | null>({
    description: 'The snooze of the finding. null: it is not snoozed',
    anyOf: [Ref(Snooze), { type: 'null' }],
  }),
});
export type Finding = Static<typeof Finding>;

export const ProjectHealth = SharedObject('ProjectHealth', {
  project: Type.String({ description: 'Id of the project', examples: ['payments'] }),
  at: Timestamp('Time at which the health was computed'),
  health: Type.Integer({
    description:
      'Health from 0 to 100, the percentage of features that are neither stale nor potentially stale',
    minimum: 0,
    maximum: 100,
    examples: [78],
  }),
  technicalDebt: Type.Integer({ description: 'Technical debt: 100 minus the health', examples: [22] }),
  formula: Type.String({ description: 'How the health is computed' }),
  counts: NamedObject('HealthCounts', 'Counts of the active features', {
    features: count('Active features'),
    stale: count('Active features that are marked as stale'),
    potentiallyStale: count(
      'Active features that are older than the lifetime of their type and not marked as stale',
    ),
  }),
  debtBudget: NamedObject('DebtBudget', 'The debt budget of the project', {
    limit: Nullable.Integer({
      description: 'Maximum number of stale and potentially stale features; null: no limit',
    }),
    used: count('Stale and potentially stale features'),
    exceeded: Type.Boolean({ description: 'Whether the server rejects new features' }),
  }),
  rules: Type.Array(
    NamedObject('HealthRule', {
      rule: ruleName,
      description: Type.String({
        description: 'What the rule finds',
        examples: ['The feature is older than the lifetime of its type and not marked as stale.'],
      }),
      remedy,
      findings: count('Findings that are not snoozed'),
      snoozed: count('Snoozed findings'),
      points,
      conclusive: Type.Boolean({
        description: 'false: the rule lacks data, for example because no SDK was seen in production',
      }),
    }),
    { description: 'Every rule, with the points that fixing all its findings would add to the health' },
  ),
  findings: Type.Array(Ref(Finding)),
  total: count('Findings that match the filters'),
});
export type ProjectHealth = Static<typeof ProjectHealth>;

export const HealthQuery = SearchQuery({
  rule: Optional.String({
    description: 'IS: one rule, or IS_ANY_OF: several rules',
    examples: ['IS_ANY_OF:stale,past-lifetime'],
  }),
  feature: Optional.String({
    description: 'IS: one feature, or IS_ANY_OF: several features',
    examples: ['IS:checkout-v2'],
  }),
  snoozed: Optional.String({
    description: 'false (default): findings that are not snoozed; true: snoozed findings; all: both',
    examples: ['false'],
  }),
  ...page,
});
