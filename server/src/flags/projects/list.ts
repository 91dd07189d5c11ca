import type { Actor } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';
import { healthOf } from '../technical-debt/score.ts';
import type { ListedProject } from './schema.ts';
import { listProjects } from './store.ts';

/** The projects that the actor may read, each with the number of its features and its health. One statement for all. */
export async function readProjects(
  db: Reader,
  actor: Actor,
  archived: boolean,
  at: Date,
): Promise<ListedProject[]> {
  const projects = await listProjects(db, actor, archived, at);
  return projects.map(({ counts, ...project }) => ({
    ...project,
    memberCount: project.members,
    featureCount: counts.features,
    staleFeatureCount: counts.stale,
    potentiallyStaleFeatureCount: counts.potentiallyStale,
    health: healthOf(counts),
    technicalDebt: 100 - healthOf(counts),
  }));
}
