import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  decodeSnapshot,
  MAX_SNAPSHOT_BYTES,
  type Snapshot,
  SnapshotError,
  type TrustedKeys,
} from './format.ts';

const CURRENT_SUFFIX = '.snapshot';
const PREVIOUS_SUFFIX = '.snapshot.previous';
/** Followed by a random id, so that servers that share a folder by mistake do not write to each other's files. */
const NEW_SUFFIX = '.snapshot.new';
/** No write takes this long, so an older unfinished file was left by a process that was killed. */
const ABANDONED_MS = 10 * 60_000;
/** Snapshots contain hashes of SDK tokens, so only the owner may read them. */
const MODE = 0o600;

type Log = { warn: (fields: object, message: string) => void };

const buildPath = (folder: string, environment: string): string =>
  join(folder, encodeURIComponent(environment));

/** Replaces an environment's snapshot and keeps the previous one. If the process is killed, at least one of the two is complete. */
export async function writeSnapshot(folder: string, environment: string, parts: Buffer[]): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = buildPath(folder, environment);
  const temporaryPath = `${path}${NEW_SUFFIX}-${randomUUID()}`;
  try {
    await writeNew(temporaryPath, parts);
    await rename(`${path}${CURRENT_SUFFIX}`, `${path}${PREVIOUS_SUFFIX}`).catch(ignoreMissing);
    await rename(temporaryPath, `${path}${CURRENT_SUFFIX}`);
  } catch (error) {
    // The disk may be full, so the partial file must not stay.
    await rm(temporaryPath, { force: true });
    throw error;
  }
  await syncFolder(folder);
}

async function writeNew(path: string, parts: Buffer[]): Promise<void> {
  const file = await open(path, 'wx', MODE);
  try {
    await file.chmod(MODE);
    for (const part of parts) await file.writeFile(part);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Removes the snapshots of all environments that are not listed, and abandoned unfinished files. */
export async function cleanUpSnapshots(folder: string, environments: Iterable<string>): Promise<void> {
  const keptNames = new Set([...environments].map(name => encodeURIComponent(name)));
  for (const name of await listNames(folder))
    if (!keptNames.has(name))
      for (const suffix of [CURRENT_SUFFIX, PREVIOUS_SUFFIX])
        await rm(join(folder, `${name}${suffix}`), { force: true });
  for (const file of await listFiles(folder)) {
    if (!file.includes(NEW_SUFFIX)) continue;
    const info = await stat(join(folder, file)).catch(ignoreMissing);
    if (info && Date.now() - info.mtimeMs > ABANDONED_MS) await rm(join(folder, file), { force: true });
  }
}

/** Reads the newest usable snapshot of each environment. Unusable snapshots are logged. */
export async function readSnapshots(folder: string, keys: TrustedKeys, log: Log): Promise<Snapshot[]> {
  const snapshots: Snapshot[] = [];
  for (const name of await listNames(folder)) {
    for (const suffix of [CURRENT_SUFFIX, PREVIOUS_SUFFIX]) {
      const path = join(folder, `${name}${suffix}`);
      try {
        const snapshot = await readSnapshot(path, keys);
        if (!snapshot) continue;
        if (encodeURIComponent(snapshot.feed.environment) !== name)
          throw new SnapshotError(`The snapshot is for environment "${snapshot.feed.environment}".`);
        snapshots.push(snapshot);
        break;
      } catch (error) {
        log.warn({ file: path, problem: (error as Error).message }, 'snapshot not usable');
      }
    }
  }
  return snapshots;
}

async function readSnapshot(path: string, keys: TrustedKeys): Promise<Snapshot | undefined> {
  const info = await stat(path).catch(ignoreMissing);
  if (!info) return undefined;
  // Reading a named pipe could block forever.
  if (!info.isFile()) throw new SnapshotError('It is not a regular file.');
  if (info.size > MAX_SNAPSHOT_BYTES) throw new SnapshotError(`The file has ${info.size} bytes.`);
  return decodeSnapshot(await readFile(path), keys);
}

/** Lists the names of all snapshots, without file extensions. */
async function listNames(folder: string): Promise<string[]> {
  const names = (await listFiles(folder)).flatMap(
    file => /^(.+)\.snapshot(?:\.previous)?$/.exec(file)?.[1] ?? [],
  );
  return [...new Set(names)].toSorted();
}

const listFiles = async (folder: string): Promise<string[]> =>
  (await readdir(folder).catch(ignoreMissing)) ?? [];

/** Makes sure that the renames survive a power failure. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
