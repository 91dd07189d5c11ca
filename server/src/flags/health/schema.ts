import { NamedObject, Nullable, Ref, SharedObject, Timestamp } from '@halyard/plane/platform/http/schema.ts';
import { type Static, Type } from 'typebox';
import { DefaultStrategy } from '../environments/schema.ts';
import { Feature } from '../features/schema.ts';
import { FeatureNaming } from '../projects/schema.ts';
import type { Counts } from '../technical-debt/score.ts';

const count = (description: string) => Type.Integer({ minimum: 0, description, examples: [3] });
const health = Type.Integer({
  minimum: 0,
  maximum: 100,
  description: '100 minus the percentage of stale and potentially stale features',
  examples: [78],
});
const rating = {
  activeCount: count('Features that are not marked as stale, including potentially stale features'),
  potentiallyStaleCount: count(
    'Features that are older than the lifetime of their type and not marked as stale',
  ),
  staleCount: count('Features that are marked as stale'),
};

export const ProjectStats = SharedObject(
  'ProjectStats',
  'Statistics of the last 30 days (current window) and the previous 30 days (past window)',
  {
    avgTimeToProdCurrentWindow: Type.Number({
      description:
        'Average number of days from the creation of a feature until it was first enabled in a production environment, for features first enabled in the last 30 days; 0 if there are none',
      examples: [4.5],
    }),
    createdCurrentWindow: count('Features created in the last 30 days'),
    createdPastWindow: count('Features created in the previous 30 days'),
    archivedCurrentWindow: count('Features archived in the last 30 days'),
    archivedPastWindow: count('Features archived in the previous 30 days'),
    projectActivityCurrentWindow: count('Events of the last 30 days'),
    projectActivityPastWindow: count('Events of the previous 30 days'),
    projectMembersAddedCurrentWindow: count('Members who joined in the last 30 days'),
  },
);

export const ProjectEnvironment = SharedObject('ProjectEnvironment', 'An environment of the project', {
  environment: Type.String({ description: 'Name of the environment', examples: ['production'] }),
  changeRequestsEnabled: Type.Boolean({
    description: 'Always false: Halyard does not support change requests yet',
  }),
  defaultStrategy: Type.Optional(Ref(DefaultStrategy)),
});

const overview = {
  name: Type.String({ description: 'Display name of the project', examples: ['Payments'] }),
  description: Type.String({ description: 'What the project is for', examples: ['Payments and refunds'] }),
  mode: Type.String({
    description: 'Who may read the project: everyone (open, protected) or only members (private)',
    enum: ['open', 'protected', 'private'],
  }),
  defaultStickiness: Type.String({
    description: 'Default stickiness for gradual rollouts and variants',
    examples: ['default'],
  }),
  featureLimit: Nullable.Integer({ description: 'Maximum number of features; null: no limit' }),
  featureNaming: Ref(FeatureNaming),
  members: count('Users with a role in the project, directly or through a group'),
  favorite: Type.Boolean({ description: 'Whether the project is a favorite of the caller' }),
  environments: Type.Array(Ref(ProjectEnvironment)),
  createdAt: Timestamp('When the project was created'),
  updatedAt: Timestamp('When the project was last changed'),
  stats: Ref(ProjectStats),
};

export const HealthReport = SharedObject('HealthReport', {
  version: Type.Integer({ description: 'Version of the response format', examples: [1] }),
  ...overview,
  health,
  technicalDebt: Type.Integer({ description: 'Technical debt: 100 minus the health', examples: [22] }),
  ...rating,
  features: Type.Array(Ref(Feature), { description: 'All active features, sorted by name' }),
});
export type HealthReport = Static<typeof HealthReport>;
export type ReportParts = Static<Type.TObject<typeof overview>> & { counts: Counts };

const flags = { currentFlags: count('Features that are now in this stage') };
const stage = NamedObject('StageSummary', 'Features in a stage', {
  averageDays: Nullable(
    Type.Number({
      description: 'Average number of days in this stage, for features that have left it',
      examples: [3.5],
    }),
  ),
  ...flags,
});

export const ProjectStatus = SharedObject('ProjectStatus', {
  resources: NamedObject('ProjectResources', 'Number of members, tokens and segments', {
    members: count('Users with a role in the project, directly or through a group'),
    apiTokens: count('Active API tokens for the project'),
    segments: count('Segments of the project'),
  }),
  health: NamedObject('ProjectStatusHealth', 'The current health', { current: health }),
  technicalDebt: NamedObject('ProjectStatusDebt', 'The technical debt', {
    current: Type.Integer({ description: 'Technical debt: 100 minus the health', examples: [22] }),
  }),
  staleFlags: NamedObject('StaleFlagCount', 'Number of stale and potentially stale features', {
    total: count('Stale and potentially stale features'),
  }),
  lifecycleSummary: NamedObject('LifecycleSummary', 'Features by stage', {
    initial: stage,
    preLive: stage,
    live: stage,
    completed: stage,
    archived: NamedObject('ArchivedSummary', 'Number of archived features', {
      ...flags,
      last30Days: count('Features archived in the last 30 days'),
    }),
  }),
  activityCountByDate: Type.Array(
    NamedObject('DayActivity', {
      date: Type.String({ description: 'UTC day', format: 'date', examples: ['2026-11-15'] }),
      count: count('Events of that day'),
    }),
    { description: 'Days with events in the last 365 days, UTC' },
  ),
});
export type ProjectStatus = Static<typeof ProjectStatus>;

type StageCounts = { averageDays: number | null; currentFlags: number; last30Days: number };
export type StatusParts = Pick<ProjectStatus, 'resources' | 'activityCountByDate'> & {
  counts: Counts;
  lifecycle: Record<'initial' | 'pre-live' | 'live' | 'completed' | 'archived', StageCounts>;
};

const insights = {
  stats: Ref(ProjectStats),
  featureTypeCounts: Type.Array(
    NamedObject('InsightsFeatureTypeCount', 'Number of features of a type', {
      type: Type.String({ description: 'Id of the feature type', examples: ['release'] }),
      count: count('Active features of the type'),
    }),
  ),
  leadTime: NamedObject('LeadTime', 'The time until features are enabled in production', {
    projectAverage: Type.Number({
      description: 'Average number of days to production; 0 if no feature has been enabled in production',
      examples: [6.2],
    }),
    features: Type.Array(
      NamedObject('FeatureLeadTime', {
        name: Type.String({
          description: 'Feature name, unique in the instance',
          examples: ['checkout-v2'],
        }),
        timeToProduction: Type.Number({
          description:
            'Days from the creation of the feature until it was first enabled in a production environment',
          examples: [4.5],
        }),
      }),
      { description: 'The 1,000 most recently enabled features. The average includes all features.' },
    ),
  }),
};

export const ProjectInsights = SharedObject('ProjectInsights', {
  ...insights,
  members: NamedObject('MemberChange', 'Number of members, and how many joined recently', {
    currentMembers: count('Users with a role in the project'),
    change: count('Members who joined in the last 30 days'),
  }),
  health: NamedObject('HealthRating', 'The current health, and the feature counts behind it', {
    rating: health,
    ...rating,
  }),
  technicalDebt: NamedObject(
    'TechnicalDebtRating',
    'The current technical debt, and the feature counts behind it',
    {
      rating: Type.Integer({ description: 'Technical debt: 100 minus the health', examples: [22] }),
      ...rating,
    },
  ),
});
export type ProjectInsights = Static<typeof ProjectInsights>;
export type InsightsParts = Static<Type.TObject<typeof insights>> & { counts: Counts; members: number };
