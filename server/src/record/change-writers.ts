import type { RawBuilder, SqlBool } from 'kysely';
import type { Tx } from '../platform/db/database.ts';

/** Writes data derived from the events of a change, in the statement that inserts them. */
export type EventWriter = {
  /** Common table expressions that read `written`, the inserted events. All writers together cost one round trip. */
  expressions: RawBuilder<unknown>;
  /** Servers that listen on the channel are notified after the commit if the condition holds. */
  notifies?: { channel: string; when: RawBuilder<SqlBool> };
};

/** What a change published: the channel to notify, and the new revisions of environments. */
export type Publication = {
  channel: string | undefined;
  revisions: { environment: string; revision: number }[];
};

/** What a change rolls out further than allowed: a flag, or the default strategy of a project. */
export type RaisedRollout = {
  featureName: string | null;
  project: string | null;
  environment: string;
  /** The name of the segment that the change edits. */
  segment: string | null;
  cause: 'strategy' | 'groups' | 'dependency' | 'segment';
  rollout: number;
};

type Recorded = { type: string; project?: string | null; environment?: string | null };

/** The writes of a change that belong to wings above `record/`. */
export type Writers = {
  events: EventWriter[];
  /** A project that rejects the events in `written` without a comment, or null. */
  requiringComment: RawBuilder<string | null>;
  /** The tags of a feature, which its events keep. */
  tagsOf: (featureName: RawBuilder<unknown>) => RawBuilder<unknown>;
  /** Whether a writer reads `written.text`, the folded JSON text of an event. */
  readsText: RawBuilder<SqlBool>;
  /** What the open change rolls out further in production than the percentage, if there is anything. Runs before `publish`. */
  raisedRollout: (tx: Tx, allowed: number, events: Recorded[]) => Promise<RaisedRollout | undefined>;
  /**
   * Runs as the last statement of a change, because other changes wait from here until the commit. All its events have this group
   * id.
   */
  publish: (tx: Tx, groupId: string) => Promise<Publication>;
};

let registered: Writers | undefined;

/** Must be called once before the first change of a process. */
export function registerWriters(writers: Writers): void {
  registered = writers;
}

export function registeredWriters(): Writers {
  if (!registered)
    throw new Error('A change needs the writers of the other wings: call registerWriters(WRITERS)');
  return registered;
}
