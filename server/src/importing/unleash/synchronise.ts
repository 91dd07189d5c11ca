import { keepLastAdmin } from '../../people/grants/last-admin.ts';
import { type Actor, SYSTEM } from '../../platform/actor.ts';
import type { Db, Reader } from '../../platform/db/database.ts';
import { type Change, change } from '../../record/change.ts';
import { dataError } from './data-error.ts';
import { type Context, digestOf, type Item, type Kind, type Problem } from './kinds/kind.ts';
import { addReport, type KindReport, newReport, note } from './report.ts';
import {
  deleteMarks,
  findMarks,
  listMarkedKeys,
  lockImports,
  lockRows,
  type Mark,
  upsertMarks,
} from './store.ts';

export type Options = {
  /** Write nothing. */
  plan: boolean;
  /** Store what validation rejects, if SDKs evaluate it the same way. */
  accept: boolean;
  /** Replace what changed in Halyard, or existed there before, with Unleash's version. */
  overwrite: boolean;
  /** Skip what Unleash has not changed since the last import, without checking Halyard. */
  onlyChanged: boolean;
  /** Only these features. */
  onlyFeatures?: readonly string[] | undefined;
};

export const IMPORT_ACTOR: Actor = { ...SYSTEM, name: 'import from Unleash' };
/** Remembers keys, to find what Unleash no longer has. */
const MAX_ITEMS = 1_000_000;
const REMOVED_PER_CHANGE = 200;

/**
 * Makes Halyard match Unleash. Each batch is one change, so an interrupted import can simply be repeated. What changed in Halyard
 * since the last import stays; if Unleash changed it too, it is a conflict.
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
    if (seen.size + batch.length > MAX_ITEMS)
      throw new Error(`An import reads at most ${MAX_ITEMS} ${kind.name}.`);
    const items = batch.filter(item => isFirst(item, seen, report));
    const allowed = items.filter(item => isAccepted(item, options, report, onRejected));
    const accepted = options.onlyChanged ? await changedThere(db, kind.name, allowed, report) : allowed;
    if (options.plan) await decide(db, kind, accepted, options, report);
    else if (accepted.length > 0) await write(db, kind, accepted, options, report, onRejected);
    onBatch(items.length);
  }
  for await (const gone of keysNotIn(db, kind.name, seen, kind.only?.(context))) {
    const { remove: _, ...kept } = kind;
    const removed = context.source.keeps?.has(kind.name) ? kept : kind;
    if (options.plan) await decideRemoval(db, removed, gone, report);
    else
      await changeOf(kind, db, gone, async current =>
        remove(current, removed, await decideRemoval(current.tx, removed, gone, report)),
      );
  }
  return report;
}

/**
 * Writes a batch as one change. If the database rejects its data, each half is written separately, down to the items at fault, so
 * that the rest is imported and the report names those items.
 */
async function write<State>(
  db: Db,
  kind: Kind<State>,
  items: Item<State>[],
  options: Options,
  report: KindReport,
  onRejected: (key: string) => void,
): Promise<void> {
  let counted = newReport();
  try {
    const keys = items.map(({ key }) => key);
    await changeOf(kind, db, keys, async current => {
      counted = newReport();
      await apply(current, kind, await decide(current.tx, kind, items, options, counted));
    });
    addReport(report, counted);
  } catch (error) {
    const reason = dataError(error);
    const [first] = items;
    if (reason === undefined || first === undefined) throw error;
    if (items.length === 1) {
      note(report.rejected, `${first.label ?? first.key}: ${reason}`);
      onRejected(first.key);
      return;
    }
    const middle = items.length >> 1;
    for (const half of [items.slice(0, middle), items.slice(middle)])
      await write(db, kind, half, options, report, onRejected);
  }
}

/**
 * One change to these items. It waits for a change of another import and for edits of the items, so that it compares what they have
 * written. It is rejected if no admin would remain, for example because Unleash demoted the only one.
 */
const changeOf = <State>(
  kind: Kind<State>,
  db: Db,
  keys: string[],
  work: (current: Change) => Promise<void>,
): Promise<void> =>
  change(db, IMPORT_ACTOR, async current => {
    const locked = async () => {
      await lockImports(current.tx);
      if (kind.rows !== undefined) await lockRows(current.tx, kind.rows(keys));
      await work(current);
    };
    await (kind.canRevokeAdmin ? keepLastAdmin(current, locked) : locked());
  });

/** Two items in Unleash can have the same name in Halyard, such as users whose names differ only in case. The first one is imported. */
function isFirst<State>({ key, label = key }: Item<State>, seen: Set<string>, report: KindReport): boolean {
  if (seen.has(key))
    note(report.rejected, `${label}: Unleash has another one that would get the same name in Halyard`);
  const isNew = !seen.has(key);
  seen.add(key);
  return isNew;
}

/** Larger than any request body that Halyard accepts. SDKs would download it again after each change. */
const MAX_CHARACTERS = 8_000_000;

const sizeProblems = (state: unknown): Problem[] => {
  const { length } = JSON.stringify(state);
  return length <= MAX_CHARACTERS
    ? []
    : [
        {
          message: `it has ${length.toLocaleString('en')} characters; the maximum is ${MAX_CHARACTERS.toLocaleString('en')}`,
          acceptable: false,
        },
      ];
};

function isAccepted<State>(
  { key, label = key, state, problems: ofRules = [], leftBehind = [] }: Item<State>,
  { accept }: Options,
  report: KindReport,
  onRejected: (key: string) => void,
): boolean {
  const problems = [...ofRules, ...sizeProblems(state)];
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

/** Compares the digests of three states: in Unleash, in Halyard, and at the last import. */
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
    const environments = [...new Set((item.problems ?? []).map(({ environment = '' }) => environment))];
    const write = () => {
      if (before === undefined) report.created++;
      else report.updated++;
      decided.writes.push({ item, before });
      decided.marks.push({ key, digest: there, problems, environments });
    };
    if (there === now) {
      report.unchanged++;
      if (mark?.digest !== there || mark.problems.join('\n') !== problems.join('\n'))
        decided.marks.push({ key, digest: there, problems, environments });
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

/** What was imported earlier, but is not among the keys that were read. */
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
