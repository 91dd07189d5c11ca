import { type Static, Type } from 'typebox';
import { Named, NamedObject, Nullable, Ref, Timestamp } from '../../platform/http/schema.ts';
import { DefaultStrategy } from '../environments/schema.ts';
import { Feature } from '../features/schema.ts';
import { FeatureNaming } from '../projects/schema.ts';
import type { Counts } from '../technical-debt/score.ts';

const count = (description: string) => Type.Integer({ minimum: 0, description, examples: [3] });
const health = Type.Integer({
  minimum: 0,
  maximum: 100,
  description: '100 less the share of stale and potentially stale features, in percent',
  examples: [78],
});
const rating = {
  activeCount: count('Features that are not stale; the potentially stale ones are among them'),
  potentiallyStaleCount: count(
    'Features that are older than their type is meant to live, and not marked stale',
  ),
  staleCount: count('Features that are marked stale'),
};

export const ProjectStats = Named(
  'ProjectStats',
  Type.Object(
    {
      avgTimeToProdCurrentWindow: Type.Number({
        description:
          'Mean days from the creation of a feature to its first activation in a production environment, over those first activated in the last 30 days; 0 without any',
        examples: [4.5],
      }),
      createdCurrentWindow: count('Features created in the last 30 days'),
      createdPastWindow: count('Features created in the 30 days before'),
      archivedCurrentWindow: count('Features archived in the last 30 days'),
      archivedPastWindow: count('Features archived in the 30 days before'),
      projectActivityCurrentWindow: count('Events of the last 30 days'),
      projectActivityPastWindow: count('Events of the 30 days before'),
      projectMembersAddedCurrentWindow: count('Members who were not members 30 days ago'),
    },
    { description: 'The last 30 days, and the 30 days before' },
  ),
);
export type ProjectStats = Static<typeof ProjectStats>;

export const ProjectEnvironment = Named(
  'ProjectEnvironment',
  Type.Object({
    environment: Type.String({ examples: ['production'] }),
    changeRequestsEnabled: Type.Boolean(),
    defaultStrategy: Type.Optional(Ref(DefaultStrategy)),
  }),
);

const head = {
  name: Type.String({ examples: ['Payments'] }),
  description: Type.String({ examples: ['Everything about paying'] }),
  mode: Type.String({ enum: ['open', 'protected', 'private'] }),
  defaultStickiness: Type.String({ examples: ['default'] }),
  featureLimit: Nullable(Type.Integer({ description: 'Most features; null: no limit' })),
  featureNaming: Ref(FeatureNaming),
  members: count('Users with a role in the project, directly or through a group'),
  favorite: Type.Boolean({ description: 'Starred by the caller' }),
  environments: Type.Array(Ref(ProjectEnvironment)),
  createdAt: Timestamp('When the project was created'),
  updatedAt: Timestamp('When the project itself last changed'),
  stats: Ref(ProjectStats),
};

export const HealthReport = Named(
  'HealthReport',
  Type.Object({
    version: Type.Integer({ description: 'Version of this format', examples: [1] }),
    ...head,
    health,
    technicalDebt: Type.Integer({ description: '100 less the health', examples: [22] }),
    ...rating,
    features: Type.Array(Ref(Feature), { description: 'All that are not archived, by name' }),
  }),
);
export type HealthReport = Static<typeof HealthReport>;
export type ReportParts = Static<Type.TObject<typeof head>> & { counts: Counts };

const flags = { currentFlags: count('Features in this stage now') };
const stage = NamedObject('StageSummary', {
  averageDays: Nullable(
    Type.Number({ description: 'Mean days in this stage, of the features that went on', examples: [3.5] }),
  ),
  ...flags,
});

export const ProjectStatus = Named(
  'ProjectStatus',
  Type.Object({
    resources: NamedObject('ProjectResources', {
      members: count('Users with a role in the project, directly or through a group'),
      apiTokens: count('API tokens for the project that are not revoked'),
      segments: count('Segments of the project'),
    }),
    health: NamedObject('ProjectStatusHealth', { current: health }),
    technicalDebt: NamedObject('ProjectStatusDebt', {
      current: Type.Integer({ description: '100 less the health', examples: [22] }),
    }),
    staleFlags: NamedObject('StaleFlagCount', { total: count('Stale and potentially stale features') }),
    lifecycleSummary: NamedObject('LifecycleSummary', {
      initial: stage,
      preLive: stage,
      live: stage,
      completed: stage,
      archived: NamedObject('ArchivedSummary', {
        ...flags,
        last30Days: count('Features archived in the last 30 days'),
      }),
    }),
    activityCountByDate: Type.Array(
      NamedObject('DayActivity', {
        date: Type.String({ format: 'date', examples: ['2026-11-15'] }),
        count: count('Events of that day'),
      }),
      { description: 'The last 365 days, UTC; days without events are left out' },
    ),
  }),
);
export type ProjectStatus = Static<typeof ProjectStatus>;

type StageFigures = { averageDays: number | null; currentFlags: number; last30Days: number };
export type StatusParts = Pick<ProjectStatus, 'resources' | 'activityCountByDate'> & {
  counts: Counts;
  lifecycle: Record<'initial' | 'pre-live' | 'live' | 'completed' | 'archived', StageFigures>;
};

const insights = {
  stats: Ref(ProjectStats),
  featureTypeCounts: Type.Array(
    NamedObject('InsightsFeatureTypeCount', {
      type: Type.String({ examples: ['release'] }),
      count: count('Features of the type that are not archived'),
    }),
  ),
  leadTime: NamedObject('LeadTime', {
    projectAverage: Type.Number({ description: 'Mean days to production; 0 without any', examples: [6.2] }),
    features: Type.Array(
      NamedObject('FeatureLeadTime', {
        name: Type.String({ examples: ['checkout-v2'] }),
        timeToProduction: Type.Number({
          description: 'Days from its creation to its first activation in a production environment',
          examples: [4.5],
        }),
      }),
      { description: 'The 1,000 that were activated last; the average counts all' },
    ),
  }),
};

export const ProjectInsights = Named(
  'ProjectInsights',
  Type.Object({
    ...insights,
    members: NamedObject('MemberChange', {
      currentMembers: count('Users with a role in the project'),
      change: count('Members who were not members 30 days ago'),
    }),
    health: NamedObject('HealthRating', { rating: health, ...rating }),
    technicalDebt: NamedObject('TechnicalDebtRating', {
      rating: Type.Integer({ description: '100 less the health', examples: [22] }),
      ...rating,
    }),
  }),
);
export type ProjectInsights = Static<typeof ProjectInsights>;
export type InsightsParts = Static<Type.TObject<typeof insights>> & { counts: Counts; members: number };
