import { notFound } from '@halyard/plane/platform/errors.ts';
import type { Reader } from '../../platform/db/database.ts';
import { computeDebt, computeHealth, toUnleashCounts } from '../technical-debt/score.ts';
import type { ProjectInsights, ProjectStatus } from './schema.ts';
import { findInsightsParts, findStatusParts } from './store.ts';

export async function readStatus(db: Reader, project: string, now: Date): Promise<ProjectStatus> {
  const parts = await findStatusParts(db, project, now);
  if (!parts) throw notFound(`Project "${project}"`);
  const { counts, resources, activityCountByDate, lifecycle } = parts;
  const summarizeStage = ({ averageDays, currentFlags }: (typeof lifecycle)['initial']) => ({
    averageDays,
    currentFlags,
  });
  const { currentFlags, last30Days } = lifecycle.archived;
  return {
    resources,
    activityCountByDate,
    health: { current: computeHealth(counts) },
    technicalDebt: { current: 100 - computeHealth(counts) },
    staleFlags: { total: computeDebt(counts) },
    lifecycleSummary: {
      initial: summarizeStage(lifecycle.initial),
      preLive: summarizeStage(lifecycle['pre-live']),
      live: summarizeStage(lifecycle.live),
      completed: summarizeStage(lifecycle.completed),
      archived: { currentFlags, last30Days },
    },
  };
}

export async function readInsights(db: Reader, project: string, now: Date): Promise<ProjectInsights> {
  const parts = await findInsightsParts(db, project, now);
  if (!parts) throw notFound(`Project "${project}"`);
  const { counts, members, ...otherParts } = parts;
  const rating = toUnleashCounts(counts);
  return {
    ...otherParts,
    members: { currentMembers: members, change: otherParts.stats.projectMembersAddedCurrentWindow },
    health: { rating: computeHealth(counts), ...rating },
    technicalDebt: { rating: 100 - computeHealth(counts), ...rating },
  };
}
