import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readSnapshots } from '@halyard/plane/snapshot/files.ts';
import type { Snapshot, TrustedKeys } from '@halyard/plane/snapshot/format.ts';
import { deriveSigningKey, type SigningKey } from '@halyard/plane/snapshot/keys.ts';
import type { Config } from '../../platform/config.ts';
import { checkDatabase } from '../../platform/db/migrate.ts';
import { OldPostgresError } from '../../platform/db/postgres-version.ts';

/** How long a server that has snapshots waits for the database when it starts. SDKs wait during this time. */
const WAIT_MS = 1_000;

type Settings = Pick<Config, 'directUrl' | 'dataDir' | 'secretKey' | 'oldSecretKeys'>;
type Log = { warn: (fields: object, message: string) => void };

/** Returns where a server keeps its snapshots and with which key it signs them, or undefined without a data folder. */
export function getSnapshotSettings({
  dataDir,
  secretKey,
}: Settings): { folder: string; key: SigningKey } | undefined {
  if (dataDir === undefined || secretKey === undefined) return undefined;
  return { folder: join(dataDir, 'snapshots'), key: deriveSigningKey(secretKey) };
}

/** Returns the current key and the previous one, so that a server can start right after its key was replaced. */
export const getTrustedKeys = ({ secretKey, oldSecretKeys }: Settings): TrustedKeys =>
  new Map(
    [secretKey, oldSecretKeys[0]]
      .filter(key => key !== undefined)
      .map(deriveSigningKey)
      .map(({ id, publicKey }) => [id, publicKey]),
  );

/**
 * Returns the snapshots to start from if the database is unusable, and none otherwise. Throws if the database is unusable and there
 * is no snapshot.
 */
export async function findStartSnapshots(settings: Settings, log: Log): Promise<Snapshot[]> {
  const check = checkDatabase(settings.directUrl);
  const ownSettings = getSnapshotSettings(settings);
  if (!ownSettings) {
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
  const snapshots = await readSnapshots(ownSettings.folder, getTrustedKeys(settings), log);
  if (snapshots.length > 0) {
    log.warn({ problem: problem.message }, 'database unreachable, starting from snapshots');
    return snapshots;
  }
  await check;
  return [];
}
