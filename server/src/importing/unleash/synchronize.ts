import { keepLastAdmin } from '../../people/grants/last-admin.ts';
import { type Actor, SYSTEM } from '../../platform/actor.ts';
import type { Db, Reader } from '../../platform/db/database.ts';
import { type Change, change } from '../../record/change.ts';
import { describeDataError } from './data-error.ts';
import { type Context, computeDigest, type Item, type Kind, type Problem } from './kinds/kind.ts';
import { addLine, addReport, createReport, type KindReport } from './report.ts';
import {
  deleteMarks,
  findMarks,
  type ImportMark,
  listMarkedKeys,
  lockImports,
  lockRows,
  upsertMarks,
} from './store.ts';

export type Options = {
  /** Writes nothing. */
  plan: boolean;
  /** Stores what validation rejects, if SDKs evaluate it the same way. */
  accept: boolean;
  /** Replaces what changed in Halyard, or existed there before, with Unleash's version. */
  overwrite: boolean;
  /** Skips what Unleash has not changed since the last import, without checking Halyard. */
  onlyChanged: boolean;
  /** Imports only these features. */
  onlyFeatures?: readonly string[] | undefined;
};

export const IMPORT_ACTOR: Actor = { ...SYSTEM, name: 'import from Unleash' };
/** To find what Unleash no longer has, an import keeps all keys that it has read in memory. */
const MAX_ITEMS = 1_000_000;
const REMOVALS_PER_CHANGE = 200;

/**
 * Makes Halyard match Unleash. Each batch is one change, so an interrupted import can simply be repeated. An item that changed in
 * Halyard since the last import stays as it is. If Unleash changed it too, the report lists a conflict.
 */
export async function synchronize<State>(
  db: Db,
  context: Context,
  kind: Kind<State>,
  options: Options,
  onRejected: (key: string) => void,
  onBatch: (items: number) => void,
): Promise<KindReport> {
  const report = createReport();
  const seenKeys = new Set<string>();
  let readCount = 0;
  for await (const unnamedBatch of kind.read(context)) {
    const batch = unnamedBatch.map((item, index) => labelUnnamed(item, readCount + index + 1));
    readCount += batch.length;
    if (seenKeys.size + batch.length > MAX_ITEMS)
      throw new Error(`An import can read at most ${MAX_ITEMS.toLocaleString('en')} ${kind.name}.`);
    const items = batch.filter(item => isFirst(item, seenKeys, report));
    const acceptedItems = items.filter(item => isAccepted(item, options, report, onRejected));
    const itemsToWrite = options.onlyChanged
      ? await findChangedItems(db, kind.name, acceptedItems, report)
      : acceptedItems;
    if (options.plan) await decide(db, kind, itemsToWrite, options, report);
    else if (itemsToWrite.length > 0) await write(db, kind, itemsToWrite, options, report, onRejected);
    onBatch(items.length);
  }
  for await (const missingKeys of listMissingKeys(db, kind.name, seenKeys, kind.selectedKeys?.(context))) {
    const { remove: _, ...kindWithoutRemoval } = kind;
    const isPartial = context.source.partialKinds?.has(kind.name) ?? false;
    const removalKind: Kind<State> = isPartial ? kindWithoutRemoval : kind;
    // An API source does not list everything, so what it omits may still exist. Only kinds with `remove` are always listed in full.
    const isListedFully = context.source.kinds === undefined || removalKind.remove !== undefined;
    const keptKeys = isListedFully ? report.onlyInHalyard : report.notListed;
    if (options.plan) await decideRemoval(db, removalKind, missingKeys, report, keptKeys);
    else
      await makeChange(kind, db, missingKeys, async current =>
        remove(
          current,
          removalKind,
          await decideRemoval(current.tx, removalKind, missingKeys, report, keptKeys),
        ),
      );
  }
  if (kind.followUp !== undefined && report.followUps > 0)
    addLine(report.toDo, kind.followUp.describe(report.followUps));
  return report;
}

/** Labels an item without a name with its position, so that the user can find it. */
const labelUnnamed = <State>(item: Item<State>, position: number): Item<State> =>
  (item.label ?? item.key) === '' ? { ...item, label: `entry ${position} in Unleash` } : item;

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
  let batchReport = createReport();
  try {
    const keys = items.map(({ key }) => key);
    await makeChange(kind, db, keys, async current => {
      batchReport = createReport();
      await apply(current, kind, await decide(current.tx, kind, items, options, batchReport));
    });
    addReport(report, batchReport);
  } catch (error) {
    const reason = describeDataError(error);
    const [first] = items;
    if (reason === undefined || first === undefined) throw error;
    if (items.length === 1) {
      addLine(report.rejected, `${first.label ?? first.key}: ${reason}`);
      onRejected(first.key);
      return;
    }
    const middle = items.length >> 1;
    for (const half of [items.slice(0, middle), items.slice(middle)])
      await write(db, kind, half, options, report, onRejected);
  }
}

/**
 * Makes one change to these items. The change waits for other imports and for edits of the items, so that it sees what they have
 * written. The change is rejected if no admin would remain, for example because Unleash demoted the only admin.
 */
const makeChange = <State>(
  kind: Kind<State>,
  db: Db,
  keys: string[],
  work: (current: Change) => Promise<void>,
): Promise<void> =>
  change(db, IMPORT_ACTOR, async current => {
    const lockAndWork = async () => {
      await lockImports(current.tx);
      if (kind.rowsToLock !== undefined) await lockRows(current.tx, kind.rowsToLock(keys));
      await work(current);
    };
    await (kind.canRevokeAdmin ? keepLastAdmin(current, lockAndWork) : lockAndWork());
  });

/**
 * Returns whether an item is the first with its key, and reports other items as rejected. Two items in Unleash can have the same
 * name in Halyard, such as users whose names differ only in case, and only the first one is imported.
 */
function isFirst<State>(
  { key, label = key }: Item<State>,
  seenKeys: Set<string>,
  report: KindReport,
): boolean {
  if (seenKeys.has(key))
    addLine(report.rejected, `${label}: another item in Unleash would get the same name in Halyard`);
  const isNew = !seenKeys.has(key);
  seenKeys.add(key);
  return isNew;
}

/** Larger than any request body that Halyard accepts. SDKs would download a larger item again after each change. */
const MAX_ITEM_CHARACTERS = 8_000_000;

const findSizeProblems = (state: unknown): Problem[] => {
  const { length } = JSON.stringify(state);
  return length <= MAX_ITEM_CHARACTERS
    ? []
    : [
        {
          message: `it has ${length.toLocaleString('en')} characters; the maximum is ${MAX_ITEM_CHARACTERS.toLocaleString('en')}`,
          acceptable: false,
        },
      ];
};

function isAccepted<State>(
  { key, label = key, state, problems: ruleProblems = [], omitted = [], unsupported }: Item<State>,
  { accept }: Options,
  report: KindReport,
  onRejected: (key: string) => void,
): boolean {
  if (unsupported !== undefined) {
    addLine(report.unsupported, `${label}: ${unsupported}`);
    onRejected(key);
    return false;
  }
  const problems = [...ruleProblems, ...findSizeProblems(state)];
  for (const line of omitted) addLine(report.omitted, `${label}: ${line}`);
  if (problems.length === 0) return true;
  const line = `${label}: ${problems.map(({ message }) => message).join('; ')}`;
  const isStored = accept && problems.every(({ acceptable }) => acceptable);
  const hint = accept || problems.some(({ acceptable }) => !acceptable) ? '' : ' (--accept stores it)';
  if (isStored) addLine(report.accepted, line);
  else {
    addLine(report.rejected, line + hint);
    onRejected(key);
  }
  return isStored;
}

async function findChangedItems<State>(
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
  const changedItems = items.filter(({ key, state }) => marks.get(key)?.digest !== computeDigest(state));
  report.unchanged += items.length - changedItems.length;
  return changedItems;
}

type Decision<State> = { item: Item<State>; stateBefore: State | undefined };
type Decisions<State> = { writes: Decision<State>[]; marks: ImportMark[] };

/** Compares the digests of the states in Unleash, in Halyard, and at the last import. */
async function decide<State>(
  db: Reader,
  kind: Kind<State>,
  items: Item<State>[],
  { overwrite }: Options,
  report: KindReport,
): Promise<Decisions<State>> {
  const keys = items.map(({ key }) => key);
  const currentStates = await kind.find(db, keys);
  const marks = await findMarks(db, kind.name, keys);
  const decisions: Decisions<State> = { writes: [], marks: [] };
  for (const item of items) {
    const { key, label = key, state } = item;
    const stateBefore = currentStates.get(key);
    const mark = marks.get(key);
    const [unleashDigest, halyardDigest] = [
      computeDigest(state),
      stateBefore === undefined ? undefined : computeDigest(stateBefore),
    ];
    const problems = (item.problems ?? []).map(({ message }) => message);
    const environments = [...new Set((item.problems ?? []).map(({ environment = '' }) => environment))];
    const addWrite = () => {
      if (stateBefore === undefined) report.created++;
      else report.updated++;
      if (stateBefore === undefined && kind.followUp?.isNeeded(state)) report.followUps++;
      decisions.writes.push({ item, stateBefore });
      decisions.marks.push({ key, digest: unleashDigest, problems, environments });
    };
    if (unleashDigest === halyardDigest) {
      report.unchanged++;
      if (mark?.digest !== unleashDigest || mark.problems.join('\n') !== problems.join('\n'))
        decisions.marks.push({ key, digest: unleashDigest, problems, environments });
    } else if (mark === undefined) {
      if (stateBefore === undefined || overwrite || kind.isSeeded?.(key)) addWrite();
      else addLine(report.conflicts, `${label} already exists in Halyard and differs`);
    } else if (halyardDigest === mark.digest || overwrite) addWrite();
    else if (unleashDigest === mark.digest)
      addLine(report.keptInHalyard, stateBefore === undefined ? `${label} (deleted in Halyard)` : label);
    else if (stateBefore === undefined)
      addLine(report.conflicts, `${label} was deleted in Halyard and changed in Unleash`);
    else addLine(report.conflicts, `${label} was changed both in Halyard and in Unleash`);
  }
  return decisions;
}

async function apply<State>(
  { tx, record }: Change,
  kind: Kind<State>,
  { writes, marks }: Decisions<State>,
): Promise<void> {
  if (writes.length > 0)
    await kind.write(
      tx,
      writes.map(({ item }) => item),
    );
  if (marks.length > 0) await upsertMarks(tx, kind.name, marks);
  for (const { item, stateBefore } of writes) record(kind.event(item.state, stateBefore, item.details ?? {}));
}

/** Yields what was imported earlier but is not among the keys that were just read. */
async function* listMissingKeys(
  db: Db,
  kind: string,
  seenKeys: ReadonlySet<string>,
  selectedKeys: readonly string[] | undefined,
): AsyncGenerator<string[]> {
  if (selectedKeys !== undefined) {
    const missingKeys = [...(await findMarks(db, kind, [...selectedKeys])).keys()].filter(
      key => !seenKeys.has(key),
    );
    if (missingKeys.length > 0) yield missingKeys;
    return;
  }
  let lastKey = '';
  for (;;) {
    const keys = await listMarkedKeys(db, kind, lastKey, REMOVALS_PER_CHANGE);
    const lastMarkedKey = keys.at(-1);
    if (lastMarkedKey === undefined) return;
    const missingKeys = keys.filter(key => !seenKeys.has(key));
    if (missingKeys.length > 0) yield missingKeys;
    lastKey = lastMarkedKey;
  }
}

type Removal<State> = { keys: string[]; forgottenKeys: string[]; states: State[] };

async function decideRemoval<State>(
  db: Reader,
  kind: Kind<State>,
  keys: string[],
  report: KindReport,
  keptKeys: string[],
): Promise<Removal<State>> {
  const currentStates = await kind.find(db, keys);
  const marks = await findMarks(db, kind.name, keys);
  const removal: Removal<State> = { keys: [], forgottenKeys: [], states: [] };
  for (const key of keys) {
    const state = currentStates.get(key);
    if (state === undefined) removal.forgottenKeys.push(key);
    else if (kind.remove === undefined || computeDigest(state) !== marks.get(key)?.digest)
      addLine(keptKeys, key);
    else {
      report.removed++;
      removal.keys.push(key);
      removal.states.push(state);
    }
  }
  return removal;
}

async function remove<State>(
  { tx, record }: Change,
  kind: Kind<State>,
  { keys, forgottenKeys, states }: Removal<State>,
): Promise<void> {
  await deleteMarks(tx, kind.name, [...keys, ...forgottenKeys]);
  if (keys.length === 0 || kind.remove === undefined) return;
  await kind.remove.write(tx, keys);
  for (const state of states) record(kind.remove.event(state));
}
