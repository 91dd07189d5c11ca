import type { Known, Listen, Source } from '../../../../plane/src/serving/source.ts';
import type { Db } from '../../platform/db/database.ts';
import { listenTo } from '../../platform/db/listen.ts';
import { replaceEpoch } from '../../record/epoch/start.ts';
import type { EpochWatch } from '../../record/epoch/watch.ts';
import { SDK_CHANNEL } from '../projection/publish.ts';
import { lossIn } from './loss.ts';
import { makeIsLost } from './newer-revision.ts';
import {
  type DatabasePositions,
  findTokens,
  listTokens,
  markTokensSeen,
  readChanges,
  readPositions,
  type Witness,
} from './store.ts';

/** What SDKs may see, from the database. It notices changes of the epoch for the whole process. */
export function makeDatabaseSource(db: Db, epochs: EpochWatch): Source {
  let witness: Witness | undefined;

  /** Reads the positions. If they prove that the database lost changes, it first starts a new epoch. */
  const positions = async (known: Known): Promise<DatabasePositions> => {
    let read = await readPositions(db, witness);
    const loss = lossIn(read, known, witness);
    // A server that started from snapshots knows revisions of an epoch that it has not read itself.
    if (loss !== undefined && read.epoch.id === (epochs.current ?? known.epoch)) {
      await replaceEpoch(db, read.epoch.number, loss);
      read = await readPositions(db);
    }
    epochs.observe(read.epoch, loss);
    witness = read.newestEvent ?? undefined;
    return read;
  };

  return {
    positions: async known => {
      const { epoch, ...rest } = await positions(known);
      return { ...rest, epoch: epoch.id };
    },
    changes: (environment, after) => readChanges(db, environment, after),
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
