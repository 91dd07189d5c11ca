import { appendFile, chmod, mkdir, open, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { type Frame, parseFrame } from '@halyard/plane/feed/frames.ts';
import { readSigned } from '@halyard/plane/feed/signed.ts';
import { decodeSnapshot, type Snapshot, type TrustedKeys } from '@halyard/plane/snapshot/format.ts';
import { ignoreMissing, readIfPresent, remove, replaceFile } from './files.ts';
import type { Log } from './log.ts';

const SNAPSHOT = 'feed.snapshot';
const PREVIOUS = 'feed.snapshot.previous';
const FRAMES = 'feed.frames';
const SYNC_EVERY_MS = 1_000;

/** A snapshot with the bytes that were signed. */
type StoredSnapshot = { snapshot: Snapshot; bytes: Buffer };
type StoredFrame = { frame: Frame; text: string };

export type FeedDisk = {
  /** Reads the newest usable snapshot and the frames after it. Logs what is unusable. */
  read: (keys: TrustedKeys) => Promise<(StoredSnapshot & { frames: StoredFrame[] }) | undefined>;
  /** Stores a snapshot as received, and deletes the frames before it. */
  keepSnapshot: (bytes: Buffer) => Promise<void>;
  /** Stores a frame as received. It is on disk within a second. */
  keepFrame: (text: string) => void;
  /** Writes what has not been written yet. */
  flush: () => Promise<void>;
  /** Removes everything, because the token was revoked. */
  empty: () => Promise<void>;
  close: () => Promise<void>;
};

/** The edge's copy of its feed on disk: exactly the bytes that a server signed. */
export function makeFeedDisk(folder: string, log: Log): FeedDisk {
  let waitingFrames: string[] = [];
  let lastWrite = Promise.resolve();
  let isFailing = false;

  /** Runs one write at a time, in the order of the calls. */
  const enqueue = (work: () => Promise<void>): Promise<void> => {
    lastWrite = lastWrite.then(work).then(
      () => {
        isFailing = false;
      },
      error => {
        if (!isFailing) log.warn({ err: error, folder }, 'feed not written');
        isFailing = true;
      },
    );
    return lastWrite;
  };

  const append = async (): Promise<void> => {
    const text = waitingFrames.join('');
    if (text === '') return;
    waitingFrames = [];
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, FRAMES);
    await appendFile(path, text, { mode: 0o600 });
    const file = await open(path, 'r');
    await file.sync().finally(() => file.close());
  };
  const timer = setInterval(() => {
    if (waitingFrames.length > 0) void enqueue(append);
  }, SYNC_EVERY_MS).unref();

  const readSnapshot = async (keys: TrustedKeys): Promise<StoredSnapshot | undefined> => {
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
      const content = (await readIfPresent(folder, FRAMES))?.toString() ?? '';
      const frames: StoredFrame[] = [];
      let usableBytes = 0;
      try {
        const lines = content.split('\n');
        for (let index = 0; index + 2 < lines.length; index += 2) {
          const text = `${lines[index]}\n${lines[index + 1]}`;
          frames.push({ text, frame: parseFrame(readSigned(text, keys)) });
          usableBytes += Buffer.byteLength(text) + 1;
        }
      } catch (error) {
        log.warn({ problem: (error as Error).message, usable: frames.length }, 'frames truncated');
      }
      // If the process was killed during a write, the last frame is incomplete, and later frames must not be appended to it.
      if (usableBytes < Buffer.byteLength(content))
        await truncate(join(folder, FRAMES), usableBytes).catch(error =>
          log.warn({ err: error, folder }, 'frames not truncated'),
        );
      return { ...newest, frames };
    },
    keepSnapshot: bytes => {
      waitingFrames = [];
      return enqueue(async () => {
        await chmod(folder, 0o700).catch(ignoreMissing);
        await replaceFile(folder, SNAPSHOT, bytes, PREVIOUS);
        await remove(folder, FRAMES);
      });
    },
    keepFrame: text => {
      waitingFrames.push(`${text}\n`);
    },
    flush: () => enqueue(append),
    empty: () =>
      enqueue(async () => {
        waitingFrames = [];
        for (const name of [SNAPSHOT, PREVIOUS, FRAMES]) await remove(folder, name);
      }),
    close: async () => {
      clearInterval(timer);
      await enqueue(append);
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
