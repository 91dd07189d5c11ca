import { badData, notFound } from '@halyard/plane/platform/errors.ts';
import type { Reader } from '../../../platform/db/database.ts';
import type { Change } from '../../../record/change.ts';
import { lockFeatures } from '../../feature-rows/lock.ts';
import { RULES, type RuleName } from '../rules/rules.ts';
import { hasFinding, type Subject } from '../rules/store.ts';
import type { NewSnooze, Snooze } from './schema.ts';
import { deleteSnooze, findSnooze, lockProjectSegment, upsertSnooze } from './store.ts';

const MAX_DAYS = 366;
const DAY_MS = 86_400_000;
const MAX_SEGMENT_ID = 2_147_483_647;

export type FindingPath = { projectId: string; rule: RuleName; subject: string };

/** Snoozes a finding and returns its subject. Snoozing it again replaces the reason and the time. */
export async function snoozeFinding(
  current: Change,
  path: FindingPath,
  input: NewSnooze,
  now: Date,
): Promise<Subject> {
  const { tx, actor, record } = current;
  const { projectId: project, rule } = path;
  const fields = { reason: input.reason, until: checkUntil(input.until, now) };
  const { subject, name } = await lockSubject(current, path);
  if (!(await hasFinding(tx, project, now, rule, subject)))
    throw notFound(`Finding "${rule}:${path.subject}"`);
  const snoozeBefore = await findSnooze(tx, rule, subject);
  if (snoozeBefore?.reason === fields.reason && snoozeBefore.until === fields.until) return subject;

  await upsertSnooze(tx, rule, subject, fields, actor.userId);
  record({
    type: 'health-finding-snoozed',
    project,
    featureName: subject.feature,
    data: { rule, ...name, ...fields },
    preData: snoozeBefore ? { rule, ...name, ...pickFields(snoozeBefore) } : null,
  });
  return subject;
}

/** Reads the snooze of a finding that was just snoozed. */
export async function readSnooze(db: Reader, rule: RuleName, subject: Subject): Promise<Snooze> {
  const snooze = await findSnooze(db, rule, subject);
  if (!snooze)
    throw new Error(`The snooze of a "${rule}" finding disappeared in the transaction that wrote it`);
  return snooze;
}

/** Ends the snooze of a finding, if there is one. */
export async function unsnoozeFinding(current: Change, path: FindingPath): Promise<void> {
  const { tx, record } = current;
  const { projectId: project, rule } = path;
  const { subject, name } = await lockSubject(current, path);
  const snoozeBefore = await findSnooze(tx, rule, subject);
  if (!snoozeBefore) return;
  await deleteSnooze(tx, rule, subject);
  record({
    type: 'health-finding-unsnoozed',
    project,
    featureName: subject.feature,
    preData: { rule, ...name, ...pickFields(snoozeBefore) },
  });
}

const pickFields = ({ reason, until }: Snooze) => ({ reason, until });

/** Locks the feature or segment of a finding. `name` is how events refer to it. */
async function lockSubject(
  { tx }: Change,
  { projectId, rule, subject }: FindingPath,
): Promise<{ subject: Subject; name: object }> {
  if (RULES.find(({ name }) => name === rule)?.subject === 'feature') {
    await lockFeatures(tx, projectId, [subject]);
    return { subject: { feature: subject, segment: null }, name: { feature: subject } };
  }
  const id = /^[1-9]\d{0,9}$/.test(subject) ? Number(subject) : 0;
  const segment = id <= MAX_SEGMENT_ID ? await lockProjectSegment(tx, projectId, id) : undefined;
  if (!segment) throw notFound(`Segment ${subject} in project "${projectId}"`);
  return { subject: { feature: null, segment: id }, name: { id, name: segment.name } };
}

function checkUntil(until: string, now: Date): string {
  const time = new Date(until).getTime();
  if (time > now.getTime() && time <= now.getTime() + MAX_DAYS * DAY_MS) return new Date(time).toISOString();
  throw badData([
    { message: `until must be in the future, at most ${MAX_DAYS} days from now`, path: '/body/until' },
  ]);
}
