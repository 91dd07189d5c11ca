import type { RawBuilder, SqlBool } from 'kysely';
import type { Tx } from '../platform/db/database.ts';

/** Writes data that is derived from a change's events, in the statement that inserts the events. */
export type EventWriter = {
  /** Common table expressions that read `written`, the inserted events. All writers together cost one round trip. */
  expressions: RawBuilder<unknown>;
  /** If the condition holds, servers that listen on the channel are notified after the commit. */
  notifies?: { channel: string; when: RawBuilder<SqlBool> };
};

/** The channel to notify after a change, and the new environment revisions. */
export type Publication = {
  channel: string | undefined;
  revisions: { environment: string; revision: number }[];
};

/** A flag or a project's default strategy that a change rolls out further than allowed. */
export type RaisedRollout = {
  featureName: string | null;
  project: string | null;
  environment: string;
  /** The name of the segment that the change edits. */
  segment: string | null;
  cause: 'strategy' | 'groups' | 'dependency' | 'segment';
  rollout: number;
};

type RecordedEvent = { type: string; project?: string | null; environment?: string | null };

/** The parts of a change that layers above `record/` provide. */
export type Writers = {
  events: EventWriter[];
  /** Selects a project that requires a comment for the events in `written`, or null. */
  requiringComment: RawBuilder<string | null>;
  /** Selects the tags of a feature, which are stored with its events. */
  selectTags: (featureName: RawBuilder<unknown>) => RawBuilder<unknown>;
  /** Whether a writer reads `written.text`, the folded JSON text of an event. */
  readsText: RawBuilder<SqlBool>;
  /**
   * Returns the first rollout in production that the open change raises above `maxRollout`, or undefined. Runs before `publish`.
   */
  raisedRollout: (tx: Tx, maxRollout: number, events: RecordedEvent[]) => Promise<RaisedRollout | undefined>;
  /**
   * Runs as the last statement of a change, because other changes wait from then until the commit. `groupId` is the group id of all
   * events of the change.
   */
  publish: (tx: Tx, groupId: string) => Promise<Publication>;
};

let currentWriters: Writers | undefined;

/** Registers the writers. Call it once per process, before the first change. */
export function registerWriters(writers: Writers): void {
  currentWriters = writers;
}

export function registeredWriters(): Writers {
  if (!currentWriters)
    throw new Error('No writers are registered. Call registerWriters(WRITERS) before the first change.');
  return currentWriters;
}
