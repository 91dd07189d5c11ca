import { createHash } from 'node:crypto';
import type { Reader, Tx } from '../../../platform/db/database.ts';
import type { NewEvent } from '../../../record/change.ts';
import type { Source } from '../source/source.ts';

/** Why our rules reject an item. An acceptable one is stored as it is with --accept, because SDKs evaluate it the same. */
export type Problem = {
  message: string;
  acceptable: boolean;
  /** Where a feature has it. Absent: everywhere. */
  environment?: string;
};

/** Something to import: the state that it should have here, and what is written only when it is created. */
export type Item<State> = {
  key: string;
  /** How the report names it. Default: the key. */
  label?: string;
  state: State;
  createdAt?: string | null;
  /** The id in Unleash, which is kept if it is free here. */
  id?: number;
  /** What else is written together with it, and not compared. */
  details?: object;
  problems?: Problem[];
  /** What cannot be imported of it. */
  leftBehind?: string[];
};

/** What the parts of an import share: what exists at Unleash, and what was rejected before. */
export type Context = {
  source: Source;
  rejected: (kind: string, key: string) => boolean;
  /** The features to look at. Undefined: all. */
  onlyFeatures?: readonly string[] | undefined;
};

/** One kind of thing that can be imported: how it is read there, found here, written, and recorded. */
export type Kind<State> = {
  /** Plural, as the report names it. */
  name: string;
  read: (context: Context) => AsyncIterable<Item<State>[]>;
  /** Locks and returns the state here, by key. */
  find: (db: Reader, keys: string[]) => Promise<Map<string, State>>;
  write: (tx: Tx, items: Item<State>[]) => Promise<void>;
  event: (after: State, before: State | undefined, details: object) => NewEvent;
  /** Removes what Unleash no longer has. Without it, the report names what is left here. */
  remove?: { write: (tx: Tx, keys: string[]) => Promise<void>; event: (before: State) => NewEvent };
  /** The keys that `read` looks at, if they are not all. */
  only?: (context: Context) => readonly string[] | undefined;
  /** Whether writing it can revoke the role Admin from users. */
  canRevokeAdmin?: boolean;
  /** Whether a new instance of Halyard has it too, so that the version of Unleash replaces it. */
  isSeeded?: (key: string) => boolean;
};

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
