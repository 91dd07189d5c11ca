import type { Actor } from '../../../platform/actor.ts';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { badData, notFound } from '../../../platform/errors.ts';
import { change } from '../../../record/change.ts';
import { holdFeatures } from '../../features/load.ts';
import { RULES, type RuleName } from './rules.ts';
import type { NewSnooze, Snooze } from './schema.ts';
import { deleteSnooze, findSnooze, hasFinding, lockSegment, type Subject, writeSnooze } from './store.ts';

const LONGEST_MS = 366 * 86_400_000;

export type FindingPath = { projectId: string; rule: RuleName; subject: string };

/** Puts a finding off until a moment; putting it off again changes reason and moment. */
export async function snoozeFinding(
  db: Db,
  actor: Actor,
  path: FindingPath,
  input: NewSnooze,
  at: Date,
): Promise<Snooze> {
  const { projectId: project, rule } = path;
  const wanted = { reason: input.reason, until: checkUntil(input.until, at) };
  return await change(db, actor, async ({ tx, record }) => {
    const { subject, about } = await holdSubject(tx, actor, path);
    if (!(await hasFinding(tx, project, at, rule, subject)))
      throw notFound(`Finding ${rule}:${path.subject}`);
    const before = await findSnooze(tx, rule, subject);
    if (before?.reason === wanted.reason && before.until === wanted.until) return before;

    await writeSnooze(tx, rule, subject, wanted, actor.userId);
    record({
      type: 'health-finding-snoozed',
      project,
      featureName: subject.feature,
      data: { rule, ...about, ...wanted },
      preData: before ? { rule, ...about, ...asWritten(before) } : null,
    });
    return (await findSnooze(tx, rule, subject)) ?? notThere(path);
  });
}

/** Takes a finding up again before its time; nothing happens if it was not put off. */
export async function wakeFinding(db: Db, actor: Actor, path: FindingPath): Promise<void> {
  const { projectId: project, rule } = path;
  await change(db, actor, async ({ tx, record }) => {
    const { subject, about } = await holdSubject(tx, actor, path);
    const before = await findSnooze(tx, rule, subject);
    if (!before) return;
    await deleteSnooze(tx, rule, subject);
    record({
      type: 'health-finding-woken',
      project,
      featureName: subject.feature,
      preData: { rule, ...about, ...asWritten(before) },
    });
  });
}

const asWritten = ({ reason, until }: Snooze) => ({ reason, until });

const notThere = ({ rule, subject }: FindingPath): never => {
  throw new Error(`The snooze of ${rule}:${subject} vanished in the transaction that wrote it`);
};

/** What a finding is about, kept from changing until the transaction ends. */
async function holdSubject(
  tx: Tx,
  actor: Actor,
  { projectId, rule, subject }: FindingPath,
): Promise<{ subject: Subject; about: object }> {
  if (RULES.find(({ name }) => name === rule)?.about === 'feature') {
    await holdFeatures(tx, actor, projectId, [subject]);
    return { subject: { feature: subject, segment: null }, about: { feature: subject } };
  }
  const id = /^[1-9]\d{0,9}$/.test(subject) ? Number(subject) : 0;
  const segment = id <= 2_147_483_647 ? await lockSegment(tx, projectId, id) : undefined;
  if (!segment) throw notFound(`Segment ${subject} in project ${projectId}`);
  return { subject: { feature: null, segment: id }, about: { id, name: segment.name } };
}

function checkUntil(until: string, at: Date): string {
  const time = new Date(until).getTime();
  if (time > at.getTime() && time <= at.getTime() + LONGEST_MS) return new Date(time).toISOString();
  throw badData([{ message: 'until must lie ahead, by 366 days at most', path: '/body/until' }]);
}
