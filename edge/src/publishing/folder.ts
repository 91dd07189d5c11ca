import { hash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { ignoreMissing } from '../files.ts';
import { FolderInUseError, lockFolder } from '../lock.ts';
import type { Log } from '../log.ts';
import { ChangedError, type ObjectStore } from './object-store.ts';

const MAX_LISTED_FILES = 1_000;
/** The suffix of temporary files, followed by a random string. */
const NEW_SUFFIX = '.new-';
const FOLDER = /^(.*\/)?/;

/** A folder that a web server serves. The process's umask decides who may read it. One process at a time may write to it. */
export async function openFolder(path: string, log: Log): Promise<ObjectStore> {
  const root = resolve(path);
  await mkdir(root, { recursive: true });
  const unlock = await lockFolder(root, log).catch(error => {
    if (!(error instanceof FolderInUseError)) throw error;
    throw new FolderInUseError(`Another process publishes to the folder "${root}".`);
  });

  const read: ObjectStore['read'] = async (key, maxBytes) => {
    const info = await stat(join(root, key)).catch(ignoreMissing);
    if (!info) return undefined;
    if (!info.isFile() || info.size > maxBytes)
      throw new Error(`"${join(root, key)}" is not a file of at most ${maxBytes} bytes`);
    const bytes = await readFile(join(root, key));
    return { bytes, tag: hash('sha256', bytes) };
  };

  /** A process that is killed leaves the old file or the new file, and perhaps an unfinished temporary file. */
  const write = async (key: string, bytes: Buffer): Promise<void> => {
    const target = join(root, key);
    const temporaryPath = `${target}${NEW_SUFFIX}${randomUUID()}`;
    await mkdir(dirname(target), { recursive: true });
    try {
      const file = await open(temporaryPath, 'wx');
      await file
        .writeFile(bytes)
        .then(() => file.sync())
        .finally(() => file.close());
      await rename(temporaryPath, target);
    } catch (error) {
      await rm(temporaryPath, { force: true });
      throw error;
    }
    const folder = await open(dirname(target), 'r');
    await folder.sync().finally(() => folder.close());
  };

  return {
    name: root,
    read,
    write,
    replace: async (key, bytes, _headers, previous) => {
      const current = await read(key, Number.MAX_SAFE_INTEGER);
      if (current?.tag !== previous?.tag) throw new ChangedError(`"${join(root, key)}" has changed`);
      await write(key, bytes);
    },
    list: async prefix => {
      const [folder = ''] = FOLDER.exec(prefix) ?? [];
      const names = (await readdir(join(root, folder)).catch(ignoreMissing)) ?? [];
      const objects = [];
      for (const name of names.slice(0, MAX_LISTED_FILES)) {
        const file = await stat(join(root, folder, name)).catch(ignoreMissing);
        if (file && `${folder}${name}`.startsWith(prefix))
          objects.push({ key: `${folder}${name}`, modifiedAt: file.mtimeMs });
      }
      return objects;
    },
    remove: key => rm(join(root, key), { force: true }),
    close: unlock,
  };
}
