import { keepLastAdmin } from '../../people/grants/last-admin.ts';
import { type Actor, SYSTEM } from '../../platform/actor.ts';
import type { Db, Reader } from '../../platform/db/database.ts';
import { type Change, change } from '../../record/change.ts';
import { type Context, digestOf, type Item, type Kind } from './kind.ts';
import { type KindReport, newReport, note } from './report.ts';
import { deleteMarks, findMarks, listMarkedKeys, type Mark, upsertMarks } from './store.ts';

export type Options = {
  /** Write nothing. */
  plan: boolean;
  /** Store what our rules reject, if SDKs evaluate it the same. */
  accept: boolean;
  /** Replace what was changed here, or existed here before, by what Unleash has. */
  overwrite: boolean;
  /** Skip what Unleash has not changed since the last import, without a look at what is here. */
  onlyChanged: boolean;
  /** Look at these features alone. */
  onlyFeatures?: readonly string[] | undefined;
};

const ACTOR: Actor = { ...SYSTEM, name: 'import from Unleash' };
/** Keys are remembered to find what Unleash no longer has. */
const MOST_ITEMS = 1_000_000;
const REMOVED_PER_CHANGE = 200;

/**
 * Makes what is here equal to what Unleash has. Each batch is one change, so an import that was interrupted is repeated. What
 * was changed here since the last import stays, unless Unleash changed it too: then it is a conflict.
 */
export async function synchronise<State>(
  db: Db,
  context: Context,
  kind: Kind<State>,
  options: Options,
  onRejected: (key: string) => void,
  onBatch: (items: number) => void,
): Promise<KindReport> {
  const report = newReport();
  const seen = new Set<string>();
  for await (const batch of kind.read(context)) {
    if (seen.size + batch.length > MOST_ITEMS)
      throw new Error(`An import reads at most ${MOST_ITEMS} ${kind.name}.`);
    const items = batch.filter(({ key }) => !seen.has(key));
    for (const { key } of items) seen.add(key);
    const allowed = items.filter(item => isAccepted(item, options, report, onRejected));
    const accepted = options.onlyChanged ? await changedThere(db, kind.name, allowed, report) : allowed;
    if (options.plan) await decide(db, kind, accepted, options, report);
    else if (accepted.length > 0)
      await changeOf(kind, db, async current =>
        apply(current, kind, await decide(current.tx, kind, accepted, options, report)),
      );
    onBatch(items.length);
  }
  for await (const gone of keysNotIn(db, kind.name, seen, kind.only?.(context))) {
    if (options.plan) await decideRemoval(db, kind, gone, report);
    else
      await changeOf(kind, db, async current =>
        remove(current, kind, await decideRemoval(current.tx, kind, gone, report)),
      );
  }
  return report;
}

/** One change. It is rejected if no admin would remain, for example because Unleash demoted the only one. */
const changeOf = <State>(
  kind: Kind<State>,
  db: Db,
  work: (current: Change) => Promise<void>,
): Promise<void> =>
  change(db, ACTOR, current =>
    kind.canRevokeAdmin ? keepLastAdmin(current, () => work(current)) : work(current),
  );

function isAccepted<State>(
  { key, label = key, problems = [], leftBehind = [] }: Item<State>,
  { accept }: Options,
  report: KindReport,
  onRejected: (key: string) => void,
): boolean {
  for (const line of leftBehind) note(report.leftBehind, `${label}: ${line}`);
  if (problems.length === 0) return true;
  const line = `${label}: ${problems.map(({ message }) => message).join('; ')}`;
  const isStored = accept && problems.every(({ acceptable }) => acceptable);
  const hint = accept || problems.some(({ acceptable }) => !acceptable) ? '' : ' (--accept stores it)';
  if (isStored) note(report.accepted, line);
  else {
    note(report.rejected, line + hint);
    onRejected(key);
  }
  return isStored;
}

async function changedThere<State>(
  db: Db,
  kind: string,
  items: Item<State>[],
  report: KindReport,
): Promise<Item<State>[]> {
  const marks = await findMarks(
    db,
    kind,
    items.map(({ key }) => key),
  );
  const changed = items.filter(({ key, state }) => marks.get(key)?.digest !== digestOf(state));
  report.unchanged += items.length - changed.length;
  return changed;
}

type Decision<State> = { item: Item<State>; before: State | undefined };
type Decided<State> = { writes: Decision<State>[]; marks: Mark[] };

/** Compares the digests of three states: at Unleash, here, and as it was imported last. */
async function decide<State>(
  db: Reader,
  kind: Kind<State>,
  items: Item<State>[],
  { overwrite }: Options,
  report: KindReport,
): Promise<Decided<State>> {
  const keys = items.map(({ key }) => key);
  const here = await kind.find(db, keys);
  const marks = await findMarks(db, kind.name, keys);
  const decided: Decided<State> = { writes: [], marks: [] };
  for (const item of items) {
    const { key, label = key, state } = item;
    const before = here.get(key);
    const mark = marks.get(key);
    const [there, now] = [digestOf(state), before === undefined ? undefined : digestOf(before)];
    const problems = (item.problems ?? []).map(({ message }) => message);
    const write = () => {
      if (before === undefined) report.created++;
      else report.updated++;
      decided.writes.push({ item, before });
      decided.marks.push({ key, digest: there, problems });
    };
    if (there === now) {
      report.unchanged++;
      if (mark?.digest !== there || mark.problems.join('\n') !== problems.join('\n'))
        decided.marks.push({ key, digest: there, problems });
    } else if (mark === undefined) {
      if (before === undefined || overwrite || kind.isSeeded?.(key)) write();
      else note(report.conflicts, `${label} exists here and differs`);
    } else if (now === mark.digest || overwrite) write();
    else if (there === mark.digest)
      note(report.keptHere, before === undefined ? `${label} (deleted here)` : label);
    else if (before === undefined) note(report.conflicts, `${label} was deleted here and changed in Unleash`);
    else note(report.conflicts, `${label} was changed here and in Unleash`);
  }
  return decided;
}

async function apply<State>(
  { tx, record }: Change,
  kind: Kind<State>,
  { writes, marks }: Decided<State>,
): Promise<void> {
  if (writes.length > 0)
    await kind.write(
      tx,
      writes.map(({ item }) => item),
    );
  if (marks.length > 0) await upsertMarks(tx, kind.name, marks);
  for (const { item, before } of writes) record(kind.event(item.state, before, item.details ?? {}));
}

/** What was imported earlier and is not among the keys that were read. */
async function* keysNotIn(
  db: Db,
  kind: string,
  seen: ReadonlySet<string>,
  only: readonly string[] | undefined,
): AsyncGenerator<string[]> {
  if (only !== undefined) {
    const gone = [...(await findMarks(db, kind, [...only])).keys()].filter(key => !seen.has(key));
    if (gone.length > 0) yield gone;
    return;
  }
  let after = '';
  for (;;) {
    const keys = await listMarkedKeys(db, kind, after, REMOVED_PER_CHANGE);
    const last = keys.at(-1);
    if (last === undefined) return;
    const gone = keys.filter(key => !seen.has(key));
    if (gone.length > 0) yield gone;
    after = last;
  }
}

type Removal<State> = { keys: string[]; forgotten: string[]; before: State[] };

async function decideRemoval<State>(
  db: Reader,
  kind: Kind<State>,
  keys: string[],
  report: KindReport,
): Promise<Removal<State>> {
  const here = await kind.find(db, keys);
  const marks = await findMarks(db, kind.name, keys);
  const removal: Removal<State> = { keys: [], forgotten: [], before: [] };
  for (const key of keys) {
    const before = here.get(key);
    if (before === undefined) removal.forgotten.push(key);
    else if (kind.remove === undefined || digestOf(before) !== marks.get(key)?.digest)
      note(report.onlyHere, key);
    else {
      report.removed++;
      removal.keys.push(key);
      removal.before.push(before);
    }
  }
  return removal;
}

async function remove<State>(
  { tx, record }: Change,
  kind: Kind<State>,
  { keys, forgotten, before }: Removal<State>,
): Promise<void> {
  await deleteMarks(tx, kind.name, [...keys, ...forgotten]);
  if (keys.length === 0 || kind.remove === undefined) return;
  await kind.remove.write(tx, keys);
  for (const one of before) record(kind.remove.event(one));
}
