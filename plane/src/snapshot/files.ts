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

const CURRENT = '.snapshot';
const PREVIOUS = '.snapshot.previous';
/** Followed by a random name: if several servers have the same folder by mistake, none writes into the file of another. */
const NEW = '.snapshot.new';
/** An unfinished file older than this was left by a process that was killed. No write takes this long. */
const ABANDONED_MS = 10 * 60_000;
/** Snapshots contain hashes of SDK tokens, so only the owner may read them. */
const MODE = 0o600;

type Log = { warn: (fields: object, message: string) => void };

const pathOf = (folder: string, environment: string): string => join(folder, encodeURIComponent(environment));

/** Replaces the snapshot of an environment, and keeps the one before. A process that is killed leaves one of them complete. */
export async function writeSnapshot(folder: string, environment: string, parts: Buffer[]): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = pathOf(folder, environment);
  const own = `${path}${NEW}-${randomUUID()}`;
  try {
    await writeNew(own, parts);
    await rename(`${path}${CURRENT}`, `${path}${PREVIOUS}`).catch(ignoreMissing);
    await rename(own, `${path}${CURRENT}`);
  } catch (error) {
    // Removes the partial file, so that it does not keep the disk full.
    await rm(own, { force: true });
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

/** Removes the snapshots of other environments, and files that were never finished. */
export async function removeOthers(folder: string, environments: Iterable<string>): Promise<void> {
  const kept = new Set([...environments].map(name => encodeURIComponent(name)));
  for (const name of await listNames(folder))
    if (!kept.has(name))
      for (const end of [CURRENT, PREVIOUS]) await rm(join(folder, `${name}${end}`), { force: true });
  for (const file of await listFiles(folder)) {
    if (!file.includes(NEW)) continue;
    const found = await stat(join(folder, file)).catch(ignoreMissing);
    if (found && Date.now() - found.mtimeMs > ABANDONED_MS) await rm(join(folder, file), { force: true });
  }
}

/** The newest usable snapshot of each environment. What cannot be used is logged. */
export async function readSnapshots(folder: string, keys: TrustedKeys, log: Log): Promise<Snapshot[]> {
  const found: Snapshot[] = [];
  for (const name of await listNames(folder)) {
    for (const end of [CURRENT, PREVIOUS]) {
      const path = join(folder, `${name}${end}`);
      try {
        const snapshot = await readOne(path, keys);
        if (!snapshot) continue;
        if (encodeURIComponent(snapshot.feed.environment) !== name)
          throw new SnapshotError(`The snapshot is for environment "${snapshot.feed.environment}".`);
        found.push(snapshot);
        break;
      } catch (error) {
        log.warn({ file: path, problem: (error as Error).message }, 'snapshot not usable');
      }
    }
  }
  return found;
}

async function readOne(path: string, keys: TrustedKeys): Promise<Snapshot | undefined> {
  const info = await stat(path).catch(ignoreMissing);
  if (!info) return undefined;
  // Reading a pipe would never end.
  if (!info.isFile()) throw new SnapshotError('It is not a file.');
  if (info.size > MAX_SNAPSHOT_BYTES) throw new SnapshotError(`The file has ${info.size} bytes.`);
  return decodeSnapshot(await readFile(path), keys);
}

/** The names of all snapshots, without file extensions. */
async function listNames(folder: string): Promise<string[]> {
  const names = (await listFiles(folder)).flatMap(
    file => /^(.+)\.snapshot(?:\.previous)?$/.exec(file)?.[1] ?? [],
  );
  return [...new Set(names)].toSorted();
}

const listFiles = async (folder: string): Promise<string[]> =>
  (await readdir(folder).catch(ignoreMissing)) ?? [];

/** Makes the renames durable, even after a power failure. */
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
