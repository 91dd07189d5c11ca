import type { KnownRevisions, Listen, Source } from '@halyard/plane/serving/source.ts';
import type { Db } from '../../platform/db/database.ts';
import { listenTo } from '../../platform/db/listen.ts';
import { replaceEpoch } from '../../record/epoch/start.ts';
import type { EpochWatch } from '../../record/epoch/watch.ts';
import { SDK_CHANNEL } from '../projection/publish.ts';
import { detectLoss } from './loss.ts';
import { makeIsLost } from './newer-revision.ts';
import {
  type DatabasePositions,
  findTokens,
  type HistoryMarker,
  listTokens,
  markTokensSeen,
  readChanges,
  readPositions,
} from './store.ts';

/** Creates a source that reads what SDKs can see from the database. The source also detects epoch changes for the whole process. */
export function makeDatabaseSource(db: Db, epochs: EpochWatch): Source {
  let marker: HistoryMarker | undefined;

  /** Reads the positions. If they prove that the database lost changes, it first starts a new epoch. */
  const positions = async (knownRevisions: KnownRevisions): Promise<DatabasePositions> => {
    let newest = await readPositions(db, marker);
    const loss = detectLoss(newest, knownRevisions, marker);
    // A server that started from snapshots knows revisions of an epoch that it has not read itself.
    if (loss !== undefined && newest.epoch.id === (epochs.current ?? knownRevisions.epoch)) {
      await replaceEpoch(db, newest.epoch.number, loss);
      newest = await readPositions(db);
    }
    epochs.observe(newest.epoch, loss);
    marker = newest.newestEvent ?? undefined;
    return newest;
  };

  return {
    positions: async knownRevisions => {
      const { epoch, ...otherFields } = await positions(knownRevisions);
      return { ...otherFields, epoch: epoch.id };
    },
    changes: (environment, afterRevision) => readChanges(db, environment, afterRevision),
    tokens: () => listTokens(db),
    findTokens: hashes => findTokens(db, hashes),
    reportUses: tokens => markTokensSeen(db, tokens),
    isLost: makeIsLost(db),
  };
}

/** Listens for the notification that every change of a flag or token sends. */
export const listenForChanges =
  (databaseUrl: string): Listen =>
  (onChange, onError) =>
    listenTo(databaseUrl, SDK_CHANNEL, onChange, onError);
