import { appendFile, chmod, mkdir, open, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { type Frame, frameOf } from '../../plane/src/feed/frames.ts';
import { readSigned } from '../../plane/src/feed/signed.ts';
import { decodeSnapshot, type Snapshot, type TrustedKeys } from '../../plane/src/snapshot/format.ts';
import { ignoreMissing, readIfPresent, remove, replaceFile } from './files.ts';
import type { Log } from './log.ts';

const SNAPSHOT = 'feed.snapshot';
const PREVIOUS = 'feed.snapshot.previous';
const FRAMES = 'feed.frames';
const SYNC_EVERY_MS = 1_000;

/** With the bytes that were signed. */
type KeptSnapshot = { snapshot: Snapshot; bytes: Buffer };
type KeptFrame = { frame: Frame; text: string };

export type FeedDisk = {
  /** Reads the newest usable snapshot and the frames after it. Logs what is unusable. */
  read: (keys: TrustedKeys) => Promise<(KeptSnapshot & { frames: KeptFrame[] }) | undefined>;
  /** Stores a snapshot as received, and drops the frames before it. */
  keepSnapshot: (bytes: Buffer) => Promise<void>;
  /** Stores a frame as received. It is on disk within a second. */
  keepFrame: (text: string) => void;
  /** Writes what is left. */
  flush: () => Promise<void>;
  /** Removes everything, because the token was revoked. */
  empty: () => Promise<void>;
  close: () => Promise<void>;
};

/** The edge's copy of its feed on disk: exactly the bytes that a server signed. */
export function makeFeedDisk(folder: string, log: Log): FeedDisk {
  let waiting: string[] = [];
  let running = Promise.resolve();
  let isFailing = false;

  /** One write at a time, in the order of the calls. */
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    running = running.then(work).then(
      () => {
        isFailing = false;
      },
      error => {
        if (!isFailing) log.warn({ err: error, folder }, 'feed not written');
        isFailing = true;
      },
    );
    return running;
  };

  const append = async (): Promise<void> => {
    const text = waiting.join('');
    if (text === '') return;
    waiting = [];
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, FRAMES);
    await appendFile(path, text, { mode: 0o600 });
    const file = await open(path, 'r');
    await file.sync().finally(() => file.close());
  };
  const timer = setInterval(() => {
    if (waiting.length > 0) void inTurn(append);
  }, SYNC_EVERY_MS).unref();

  const readSnapshot = async (keys: TrustedKeys): Promise<KeptSnapshot | undefined> => {
    for (const name of [SNAPSHOT, PREVIOUS]) {
      try {
        const bytes = await readIfPresent(folder, name);
        if (bytes) return { snapshot: decodeSnapshot(bytes, keys), bytes };
      } catch (error) {
        log.warn({ file: join(folder, name), problem: (error as Error).message }, 'snapshot not usable');
      }
    }
    return undefined;
  };

  return {
    read: async keys => {
      const newest = await readSnapshot(keys);
      if (!newest) return undefined;
      const all = (await readIfPresent(folder, FRAMES))?.toString() ?? '';
      const frames: KeptFrame[] = [];
      let usable = 0;
      try {
        const lines = all.split('\n');
        for (let at = 0; at + 2 < lines.length; at += 2) {
          const text = `${lines[at]}\n${lines[at + 1]}`;
          frames.push({ text, frame: frameOf(readSigned(text, keys)) });
          usable += Buffer.byteLength(text) + 1;
        }
      } catch (error) {
        log.warn({ problem: (error as Error).message, usable: frames.length }, 'frames cut');
      }
      // The process was killed during a write. Later frames must not be appended to half a frame.
      if (usable < Buffer.byteLength(all))
        await truncate(join(folder, FRAMES), usable).catch(error =>
          log.warn({ err: error, folder }, 'frames not cut'),
        );
      return { ...newest, frames };
    },
    keepSnapshot: bytes => {
      waiting = [];
      return inTurn(async () => {
        await chmod(folder, 0o700).catch(ignoreMissing);
        await replaceFile(folder, SNAPSHOT, bytes, PREVIOUS);
        await remove(folder, FRAMES);
      });
    },
    keepFrame: text => {
      waiting.push(`${text}\n`);
    },
    flush: () => inTurn(append),
    empty: () =>
      inTurn(async () => {
        waiting = [];
        for (const name of [SNAPSHOT, PREVIOUS, FRAMES]) await remove(folder, name);
      }),
    close: async () => {
      clearInterval(timer);
      await inTurn(append);
    },
  };
}

/** For an edge without a data folder. */
export const NO_DISK: FeedDisk = {
  read: async () => undefined,
  keepSnapshot: async () => {},
  keepFrame: () => {},
  flush: async () => {},
  empty: async () => {},
  close: async () => {},
};
