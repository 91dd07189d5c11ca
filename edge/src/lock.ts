import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { join, relative } from 'node:path';
import { remove } from './files.ts';
import type { Log } from './log.ts';

const NAME = 'edge.lock';

/**
 * Thrown if another edge uses the folder. Both would send their metrics with the same sequence numbers, so half of the metrics
 * would not be counted.
 */
export class FolderInUseError extends Error {}

/**
 * Locks the folder until the process ends. Even if the process is killed, all that remains is a socket on which nobody listens.
 * Returns a function that releases the folder.
 */
export async function lockFolder(folder: string, log: Log): Promise<() => Promise<void>> {
  // A socket path can have at most 107 characters.
  const path = [join(folder, NAME), relative('.', join(folder, NAME))].toSorted(
    (a, b) => a.length - b.length,
  )[0];
  if (path === undefined) return async () => {};
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const server = await listen(path).catch(async error => {
      if (error.code !== 'EADDRINUSE') throw error;
      if (await responds(path))
        throw new FolderInUseError(
          `Another edge uses the folder "${folder}". Set HALYARD_DATA_DIR to a different folder for each edge.`,
        );
      await remove(folder, NAME);
      return await listen(path);
    });
    return async () => {
      server.close();
    };
  } catch (error) {
    if (error instanceof FolderInUseError) throw error;
    // For example, the folder is read-only. The edge then runs without a lock.
    log.warn({ err: error, folder }, 'folder not locked');
    return async () => {};
  }
}

async function listen(path: string): Promise<Server> {
  const server = createServer(socket => socket.destroy());
  server.listen(path).unref();
  await once(server, 'listening');
  return server;
}

async function responds(path: string): Promise<boolean> {
  const socket = connect(path);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
