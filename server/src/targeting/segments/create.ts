import type { Actor } from '../../platform/actor.ts';
import type { Db, Reader } from '../../platform/db/database.ts';
import { exceedsLimit } from '../../platform/errors.ts';
import { change } from '../../record/change.ts';
import { acceptConstraints } from '../constraints/accept.ts';
import type { Constraint } from '../constraints/schema.ts';
import { needsForSegment } from './permission.ts';
import type { Segment, SegmentInput } from './schema.ts';
import { countSegments, insertSegment } from './store.ts';

const MAX_VALUES = 1_000;

/** Creates a segment for one project, or for all. */
export async function createSegment(
  db: Db,
  actor: Actor,
  input: SegmentInput,
  most: number,
): Promise<Segment> {
  const project = input.project || null;
  await needsForSegment(db, actor, 'CREATE_SEGMENT', project);
  const fields = {
    name: input.name.trim(),
    description: input.description ?? null,
    project,
    constraints: await acceptSegmentConstraints(db, input.constraints, project),
  };
  return await change(db, actor, async ({ tx, record }) => {
    if ((await countSegments(tx)) >= most) {
      throw exceedsLimit(`There are at most ${most} segments. Delete one first.`);
    }
    const { id, createdAt } = await insertSegment(tx, fields, actor.name);
    const segment = { id, ...fields, createdAt, createdBy: actor.name };
    record({ type: 'segment-created', project, data: segment });
    return { ...segment, usedInFeatures: 0, usedInProjects: 0 };
  });
}

/** What is wrong with the constraints of a segment to be created, for those who may create it there. */
export async function checkConstraints(
  db: Db,
  actor: Actor,
  { constraints = [], project }: Partial<SegmentInput>,
): Promise<void> {
  await needsForSegment(db, actor, 'CREATE_SEGMENT', project || null);
  await acceptSegmentConstraints(db, constraints, project || null);
}

export async function acceptSegmentConstraints(
  db: Reader,
  constraints: Constraint[],
  project: string | null,
): Promise<Constraint[]> {
  const accepted = await acceptConstraints(db, constraints, '/body/constraints', project);
  if (accepted.flatMap(({ values = [] }) => values).length > MAX_VALUES) {
    throw exceedsLimit(`A segment has at most ${MAX_VALUES} values.`);
  }
  return accepted;
}
