import { setTimeout as sleep } from 'node:timers/promises';
import type { Source } from '../../../../plane/src/serving/source.ts';
import type { Db } from '../../platform/db/database.ts';
import { replaceEpochForClient } from '../../record/epoch/start.ts';
import { revisionIn } from './loss.ts';
import { type DatabasePositions, readPositions } from './store.ts';

const WITHIN_MS = 1_000;

/**
 * Whether the database lacks the revision that a client has. Usually the client was served by a server that is ahead of this one,
 * and the database has it. Otherwise a backup was restored without any sign that servers can see. When the environment reaches
 * this revision again, its content differs, so a new epoch keeps clients from confusing the two.
 */
export function makeIsLost(db: Db): Source['isLost'] {
  const read = makeShared(() => readPositions(db));
  return async (epoch, environment, revision, tokenRevision = 0) => {
    const positions = await Promise.race([read().catch(() => undefined), sleep(WITHIN_MS)]);
    // Without the database, the client keeps what it has.
    if (!positions || positions.epoch.id !== epoch) return false;
    const own = revisionIn(positions, environment);
    if (own >= revision && positions.tokenRevision >= tokenRevision) return false;
    const reason =
      own < revision
        ? `A client has revision ${revision} of environment "${environment}", which is at ${own}.`
        : `An edge has tokens of revision ${tokenRevision}, which are at ${positions.tokenRevision}.`;
    await replaceEpochForClient(db, positions.epoch.number, reason).catch(() => {});
    return true;
  };
}

/** One read at a time. Callers that come during a read share the next one, which sees what was committed before they came. */
function makeShared(read: () => Promise<DatabasePositions>): () => Promise<DatabasePositions> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<DatabasePositions> | undefined;
  return () => {
    next ??= running
      .catch(() => {})
      .then(() => {
        const started = read();
        running = started;
        next = undefined;
        return started;
      });
    return next;
  };
}
