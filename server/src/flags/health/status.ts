import { notFound } from '../../../../plane/src/platform/errors.ts';
import type { Reader } from '../../platform/db/database.ts';
import { debtOf, healthOf, ratingOf } from '../technical-debt/score.ts';
import type { ProjectInsights, ProjectStatus } from './schema.ts';
import { findInsightsParts, findStatusParts } from './store.ts';

export async function readStatus(db: Reader, project: string, at: Date): Promise<ProjectStatus> {
  const parts = await findStatusParts(db, project, at);
  if (!parts) throw notFound(`Project "${project}"`);
  const { counts, resources, activityCountByDate, lifecycle } = parts;
  const stage = ({ averageDays, currentFlags }: (typeof lifecycle)['initial']) => ({
    averageDays,
    currentFlags,
  });
  const { currentFlags, last30Days } = lifecycle.archived;
  return {
    resources,
    activityCountByDate,
    health: { current: healthOf(counts) },
    technicalDebt: { current: 100 - healthOf(counts) },
    staleFlags: { total: debtOf(counts) },
    lifecycleSummary: {
      initial: stage(lifecycle.initial),
      preLive: stage(lifecycle['pre-live']),
      live: stage(lifecycle.live),
      completed: stage(lifecycle.completed),
      archived: { currentFlags, last30Days },
    },
  };
}

export async function readInsights(db: Reader, project: string, at: Date): Promise<ProjectInsights> {
  const parts = await findInsightsParts(db, project, at);
  if (!parts) throw notFound(`Project "${project}"`);
  const { counts, members, ...rest } = parts;
  const rating = ratingOf(counts);
  return {
    ...rest,
    members: { currentMembers: members, change: rest.stats.projectMembersAddedCurrentWindow },
    health: { rating: healthOf(counts), ...rating },
    technicalDebt: { rating: 100 - healthOf(counts), ...rating },
  };
}
