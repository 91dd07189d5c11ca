import type { Actor } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';
import { computeHealth } from '../technical-debt/score.ts';
import type { ListedProject } from './schema.ts';
import { listProjects } from './store.ts';

/** Reads the projects that the actor may read, each with its number of features and its health, in one statement. */
export async function readProjects(
  db: Reader,
  actor: Actor,
  archived: boolean,
  now: Date,
): Promise<ListedProject[]> {
  const projects = await listProjects(db, actor, archived, now);
  return projects.map(({ counts, ...project }) => ({
    ...project,
    memberCount: project.members,
    featureCount: counts.features,
    staleFeatureCount: counts.stale,
    potentiallyStaleFeatureCount: counts.potentiallyStale,
    health: computeHealth(counts),
    technicalDebt: 100 - computeHealth(counts),
  }));
}
