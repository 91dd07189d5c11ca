import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readSnapshots } from '../../../../plane/src/snapshot/files.ts';
import type { Snapshot, TrustedKeys } from '../../../../plane/src/snapshot/format.ts';
import { type SigningKey, signingKeyOf } from '../../../../plane/src/snapshot/keys.ts';
import type { Config } from '../../platform/config.ts';
import { checkDatabase } from '../../platform/db/migrate.ts';
import { OldPostgresError } from '../../platform/db/postgres-version.ts';

/** How long a server that has snapshots waits for the database when it starts. SDKs wait meanwhile. */
const WAIT_MS = 1_000;

type Settings = Pick<Config, 'directUrl' | 'dataDir' | 'secretKey' | 'oldSecretKeys'>;
type Log = { warn: (fields: object, message: string) => void };

/** Where a server keeps its snapshots and with which key it signs them. Undefined if it has no data folder. */
export function snapshotSettings({
  dataDir,
  secretKey,
}: Settings): { folder: string; key: SigningKey } | undefined {
  if (dataDir === undefined || secretKey === undefined) return undefined;
  return { folder: join(dataDir, 'snapshots'), key: signingKeyOf(secretKey) };
}

/** The current key and the previous one, so that a server can start right after its key was replaced. */
export const trustedKeys = ({ secretKey, oldSecretKeys }: Settings): TrustedKeys =>
  new Map(
    [secretKey, oldSecretKeys[0]]
      .filter(key => key !== undefined)
      .map(signingKeyOf)
      .map(({ id, publicKey }) => [id, publicKey]),
  );

/**
 * The snapshots to start from if the database is unusable, and none if it is usable. Throws if the database is unusable and there
 * is no snapshot.
 */
export async function findStart(settings: Settings, log: Log): Promise<Snapshot[]> {
  const check = checkDatabase(settings.directUrl);
  const own = snapshotSettings(settings);
  if (!own) {
    await check;
    return [];
  }
  const outcome = check.then(
    () => undefined,
    (error: Error) => error,
  );
  const problem = await Promise.race([
    outcome,
    sleep(WAIT_MS, new Error(`No response within ${WAIT_MS} ms`)),
  ]);
  if (problem === undefined) return [];
  if (problem instanceof OldPostgresError) throw problem;
  const snapshots = await readSnapshots(own.folder, trustedKeys(settings), log);
  if (snapshots.length > 0) {
    log.warn({ problem: problem.message }, 'database unreachable, starting from snapshots');
    return snapshots;
  }
  await check;
  return [];
}
