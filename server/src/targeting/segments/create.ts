import { exceedsLimit } from '@halyard/plane/platform/errors.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Db, Reader } from '../../platform/db/database.ts';
import type { Change } from '../../record/change.ts';
import type { Constraint } from '../constraints/schema.ts';
import { checkConstraints } from '../constraints/validate.ts';
import { requireSegmentPermission } from './permission.ts';
import type { Segment, SegmentInput } from './schema.ts';
import { countSegments, insertSegment } from './store.ts';

const MAX_VALUES = 1_000;

/** Creates a segment for one project, or for all projects. */
export async function createSegment(
  { tx, actor, record }: Change,
  input: SegmentInput,
  limit: number,
): Promise<Segment> {
  const project = input.project || null;
  await requireSegmentPermission(tx, actor, 'CREATE_SEGMENT', project);
  const fields = {
    name: input.name.trim(),
    description: input.description ?? null,
    project,
    constraints: await checkSegmentConstraints(tx, input.constraints, project),
  };
  if ((await countSegments(tx)) >= limit)
    throw exceedsLimit(`The instance already has ${limit} segments, the maximum. Delete one first.`);
  const { id, createdAt } = await insertSegment(tx, fields, actor.name);
  const segment = { id, ...fields, createdAt, createdBy: actor.name };
  record({ type: 'segment-created', project, data: segment });
  return { ...segment, usedInFeatures: 0, usedInProjects: 0 };
}

/** Checks that the caller may create a segment and that its constraints are valid. */
export async function checkNewSegment(
  db: Db,
  actor: Actor,
  { constraints = [], project }: Partial<SegmentInput>,
): Promise<void> {
  await requireSegmentPermission(db, actor, 'CREATE_SEGMENT', project || null);
  await checkSegmentConstraints(db, constraints, project || null);
}

/** Checks the constraints of a segment and returns them as they are stored. */
export async function checkSegmentConstraints(
  db: Reader,
  input: Constraint[],
  project: string | null,
): Promise<Constraint[]> {
  const constraints = await checkConstraints(db, input, '/body/constraints', project);
  const valueCount = constraints.flatMap(({ values = [] }) => values).length;
  if (valueCount > MAX_VALUES) {
    throw exceedsLimit(
      `The constraints of a segment can have at most ${MAX_VALUES} values in total; these have ${valueCount}.`,
    );
  }
  return constraints;
}
