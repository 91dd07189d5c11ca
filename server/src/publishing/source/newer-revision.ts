import { setTimeout as sleep } from 'node:timers/promises';
import type { Source } from '@halyard/plane/serving/source.ts';
import type { Db } from '../../platform/db/database.ts';
import { replaceEpochForClient } from '../../record/epoch/start.ts';
import { findRevision } from './loss.ts';
import { type DatabasePositions, readPositions } from './store.ts';

const READ_WITHIN_MS = 1_000;

/**
 * Creates the function that checks whether the database lacks the revision that a client has. Usually the database has the
 * revision, because the client was served by a server that is ahead of this one. If the database lacks the revision, a backup was
 * restored without any sign that servers can see. The environment will reach the same revision again, but with different content,
 * so a new epoch keeps clients from confusing the two.
 */
export function makeIsLost(db: Db): Source['isLost'] {
  const read = shareReads(() => readPositions(db));
  return async (epoch, environment, revision, tokenRevision = 0) => {
    const positions = await Promise.race([read().catch(() => undefined), sleep(READ_WITHIN_MS)]);
    // Without the database, the client keeps what it has.
    if (!positions || positions.epoch.id !== epoch) return false;
    const ownRevision = findRevision(positions, environment);
    if (ownRevision >= revision && positions.tokenRevision >= tokenRevision) return false;
    const reason =
      ownRevision < revision
        ? `A client has revision ${revision} of environment "${environment}", but the database is at ${ownRevision}.`
        : `An edge has tokens of revision ${tokenRevision}, but the database is at ${positions.tokenRevision}.`;
    await replaceEpochForClient(db, positions.epoch.number, reason).catch(() => {});
    return true;
  };
}

/** Runs one read at a time. Callers that arrive during a read share the next one, which sees what was committed before them. */
function shareReads(read: () => Promise<DatabasePositions>): () => Promise<DatabasePositions> {
  let lastRead: Promise<unknown> = Promise.resolve();
  let nextRead: Promise<DatabasePositions> | undefined;
  return () => {
    nextRead ??= lastRead
      .catch(() => {})
      .then(() => {
        const currentRead = read();
        lastRead = currentRead;
        nextRead = undefined;
        return currentRead;
      });
    return nextRead;
  };
}
