import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

const MODE = 0o600;

/**
 * Replaces a file in one step, so that a complete file exists even if the process is killed. If `previousName` is given, the old
 * file is kept under this name.
 */
export async function replaceFile(
  folder: string,
  name: string,
  content: Buffer | string,
  previousName?: string,
): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, name);
  const file = await open(`${path}.new`, 'w', MODE);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  if (previousName !== undefined) await rename(path, join(folder, previousName)).catch(ignoreMissing);
  await rename(`${path}.new`, path);
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}

export const readIfPresent = (folder: string, name: string): Promise<Buffer | undefined> =>
  readFile(join(folder, name)).catch(ignoreMissing);

export const remove = (folder: string, name: string): Promise<void> =>
  rm(join(folder, name), { force: true });

export function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
