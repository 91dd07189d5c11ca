import { createHash } from 'node:crypto';
import type { RawBuilder } from 'kysely';
import type { Reader, Tx } from '../../../platform/db/database.ts';
import type { NewEvent } from '../../../record/change.ts';
import type { Source } from '../source/source.ts';

/** Why validation rejects an item. If it is acceptable, --accept stores it as it is, because SDKs evaluate it the same way. */
export type Problem = {
  message: string;
  acceptable: boolean;
  /** Where a feature violates the rule. Absent: everywhere. */
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
  /** What cannot be imported for this item. */
  leftBehind?: string[];
};

/** What the parts of an import share: what exists in Unleash, and what was rejected earlier. */
export type Context = {
  source: Source;
  rejected: (kind: string, key: string) => boolean;
  /** The features to look at. Undefined: all. */
  onlyFeatures?: readonly string[] | undefined;
};

/** One kind of item that can be imported: how to read it from Unleash, find it in Halyard, write it, and record it. */
export type Kind<State> = {
  /** Plural, as the report names it. */
  name: string;
  read: (context: Context) => AsyncIterable<Item<State>[]>;
  /** Which rows an import locks before it compares them, so that an edit in Halyard is either seen or waits: `table where … order by …`. */
  rows?: (keys: string[]) => RawBuilder<unknown>;
  /** The state of the existing items, by key. */
  find: (db: Reader, keys: string[]) => Promise<Map<string, State>>;
  write: (tx: Tx, items: Item<State>[]) => Promise<void>;
  event: (after: State, before: State | undefined, details: object) => NewEvent;
  /** Removes what Unleash no longer has. Without this function, the report lists what is left over. */
  remove?: { write: (tx: Tx, keys: string[]) => Promise<void>; event: (before: State) => NewEvent };
  /** The keys that `read` covers, if not all. */
  only?: (context: Context) => readonly string[] | undefined;
  /** Whether writing it can revoke the role Admin from users. */
  canRevokeAdmin?: boolean;
  /** Whether a new Halyard instance has it too, so that Unleash's version replaces it. */
  isSeeded?: (key: string) => boolean;
};

/** A higher id would leave too few for those that Halyard counts up after it. */
const MAX_KEPT_ID = 1_000_000_000;

/** The id in Unleash. Undefined: Halyard assigns a different one. */
export function keptId(value: unknown): number | undefined {
  const id = Number(value);
  return Number.isInteger(id) && id >= 1 && id <= MAX_KEPT_ID ? id : undefined;
}

/** Equal for equal states, whatever the order of their fields. */
export const digestOf = (state: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(sorted(state)))
    .digest('base64');

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  );
}
