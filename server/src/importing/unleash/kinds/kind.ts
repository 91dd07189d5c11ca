import { createHash } from 'node:crypto';
import type { RawBuilder } from 'kysely';
import type { Reader, Tx } from '../../../platform/db/database.ts';
import type { NewEvent } from '../../../record/change.ts';
import type { Source } from '../source/source.ts';

/**
 * Why validation rejects an item. If the violation is acceptable, --accept stores the item as it is, because SDKs evaluate it the
 * same way.
 */
export type Problem = {
  message: string;
  acceptable: boolean;
  /** The environment where a feature violates the rule. If undefined, the feature violates it everywhere. */
  environment?: string;
};

/** Something to import: the state it should have in Halyard, and what is written only when it is created. */
export type Item<State> = {
  key: string;
  /** The name in the report. Defaults to the key. */
  label?: string;
  state: State;
  createdAt?: string | null;
  /** The id in Unleash, which Halyard keeps if it is free. */
  id?: number | undefined;
  /** Written together with the item, but not compared. */
  details?: object;
  problems?: Problem[];
  /** The parts of this item that cannot be imported. */
  omitted?: string[];
  /** Why Halyard has no equivalent for the item. If set, no import will ever create the item. */
  unsupported?: string | undefined;
};

/**
 * What all parts of an import share. `source` reads from Unleash, `db` reads from Halyard, and `isRejected` returns whether an item was
 * rejected earlier.
 */
export type Context = {
  source: Source;
  db: Reader;
  isRejected: (kind: string, key: string) => boolean;
  /** The features to read. If undefined, all features are read. */
  onlyFeatures?: readonly string[] | undefined;
};

/** A kind of item that can be imported, with functions that read it from Unleash, find it in Halyard, write it, and record it. */
export type Kind<State> = {
  /** The plural name that the report uses. */
  name: string;
  read: (context: Context) => AsyncIterable<Item<State>[]>;
  /**
   * The rows that an import locks before it compares them, in the form `table where … order by …`, so that an edit in
   * Halyard either is visible to the import or has to wait for it.
   */
  rowsToLock?: (keys: string[]) => RawBuilder<unknown>;
  /** The state of the existing items, by key. */
  find: (db: Reader, keys: string[]) => Promise<Map<string, State>>;
  write: (tx: Tx, items: Item<State>[]) => Promise<void>;
  event: (state: State, stateBefore: State | undefined, details: object) => NewEvent;
  /** Removes what Unleash no longer has. If undefined, the report lists the items that are left over. */
  remove?: { write: (tx: Tx, keys: string[]) => Promise<void>; event: (state: State) => NewEvent };
  /** The keys that `read` covers. If undefined, it covers all of them. */
  selectedKeys?: (context: Context) => readonly string[] | undefined;
  /** Whether writing items of this kind can revoke the Admin role from users. */
  canRevokeAdmin?: boolean;
  /** Which created items need attention after the import, and what to do. */
  followUp?: { isNeeded: (state: State) => boolean; describe: (count: number) => string };
  /** Whether every new Halyard instance has an item with this key, which Unleash's version replaces. */
  isSeeded?: (key: string) => boolean;
};

/** A higher id would leave too few ids for the items that Halyard creates later. */
const MAX_PRESERVED_ID = 1_000_000_000;

/** Returns an item's id in Unleash, or undefined if Halyard has to assign a different one. */
export function toPreservedId(value: unknown): number | undefined {
  const id = Number(value);
  return Number.isInteger(id) && id >= 1 && id <= MAX_PRESERVED_ID ? id : undefined;
}

/** Returns a digest that is equal for equal states, regardless of the order of their fields. */
export const computeDigest = (state: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(sortFields(state)))
    .digest('base64');

function sortFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortFields);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sortFields(member)]),
  );
}
