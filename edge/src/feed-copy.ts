import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type { FlagsFrame, Frame, TokensFrame } from '@halyard/plane/feed/frames.ts';
import type { Position } from '@halyard/plane/feed/publisher.ts';
import type { Snapshot } from '@halyard/plane/snapshot/format.ts';
import type { FeedDisk } from './feed-disk.ts';

/** A new snapshot is due after this many frames, or this many bytes of frames. */
const MAX_FRAMES = 1_000;
const MAX_FRAME_CHARACTERS = 32 * 1_024 * 1_024;

const compress = promisify<Buffer, { level: number }, Buffer>(gzip);

type StoredFrame = { number: number; text: string; frame: FlagsFrame | TokensFrame };

/** The signed bytes of the feed as they arrived: in memory for edges that read from this one, and on disk for the next start. */
export type FeedCopy = {
  /** The position of the snapshot, and its bytes, compressed. */
  readonly snapshot: { position: Position; gzip: Promise<Buffer> } | undefined;
  /** The last head, and when it arrived, on the monotonic clock. */
  readonly head: { text: string; arrivedAt: number } | undefined;
  /**
   * Returns whether a new snapshot should replace the frames because there are too many. After returning true, it returns false
   * until the same number of frames has arrived again.
   */
  isSnapshotDue: () => boolean;
  /**
   * Returns whether the snapshot may replace frames, which requires many frames or an outdated current snapshot. If upstream is an
   * edge, its snapshot may be older than the frames that it sent, as long as it is not older than the current snapshot.
   */
  mayReplaceFrames: (snapshot: Snapshot, isOutdated?: boolean) => boolean;
  /** Stores a snapshot and the frames after it. */
  keepSnapshot: (bytes: Buffer, snapshot: Snapshot) => Promise<void>;
  /** Stores a frame that was applied. A head is useless after a restart, so it is not stored. */
  keepFrame: (text: string, frame: Frame) => void;
  /** Restores what was read from disk, without writing it again. */
  restore: (bytes: Buffer, snapshot: Snapshot, frames: readonly { text: string; frame: Frame }[]) => void;
  /** Returns the first frame after this number that a reader at this position may lack. */
  next: (afterNumber: number, readerPosition: Position | undefined) => StoredFrame | undefined;
  /** Calls back with everything that arrives, exactly as it was signed. */
  onText: (listener: (text: string) => void) => void;
  /** Sends a message to the listener without storing it. */
  forward: (text: string) => void;
  /** Removes everything, because the token was revoked. */
  empty: () => Promise<void>;
};

export function makeFeedCopy(disk: FeedDisk): FeedCopy {
  let snapshot: FeedCopy['snapshot'];
  let head: FeedCopy['head'];
  let storedFrames: StoredFrame[] = [];
  let characters = 0;
  let number = 0;
  /** A snapshot is due at this multiple of the limits. It grows in case an upstream edge's snapshot is too old to replace frames. */
  let attempts = 1;
  let notify: (text: string) => void = () => {};

  const replaceSnapshot = (bytes: Buffer, { epoch, revision, tokenRevision }: Snapshot): void => {
    const gzipped = compress(bytes, { level: constants.Z_BEST_SPEED });
    // The caller that awaits `snapshot.gzip` gets the error.
    gzipped.catch(() => {});
    const position = { epoch, revision, tokenRevision };
    snapshot = { position, gzip: gzipped };
    storedFrames = storedFrames.filter(({ frame }) => frame.epoch === epoch && isAfter(frame, position));
    characters = storedFrames.reduce((sum, { text }) => sum + text.length, 0);
    attempts = 1 + Math.floor(Math.max(storedFrames.length / MAX_FRAMES, characters / MAX_FRAME_CHARACTERS));
  };

  const add = (text: string, frame: FlagsFrame | TokensFrame): void => {
    storedFrames.push({ number: ++number, text, frame });
    characters += text.length;
  };

  return {
    get snapshot() {
      return snapshot;
    },
    get head() {
      return head;
    },
    isSnapshotDue: () => {
      const isDue =
        storedFrames.length > attempts * MAX_FRAMES || characters > attempts * MAX_FRAME_CHARACTERS;
      if (isDue) attempts++;
      return isDue;
    },
    mayReplaceFrames: ({ epoch, revision, tokenRevision }, isOutdated = false) =>
      (attempts > 1 || isOutdated) && canContinueFrom(snapshot?.position, { epoch, revision, tokenRevision }),
    keepSnapshot: async (bytes, newSnapshot) => {
      replaceSnapshot(bytes, newSnapshot);
      const write = disk.keepSnapshot(bytes);
      for (const { text } of storedFrames) disk.keepFrame(text);
      await write;
    },
    keepFrame: (text, frame) => {
      if (frame.log === 'head') head = { text, arrivedAt: performance.now() };
      else if (frame.log === 'flags' || frame.log === 'tokens') {
        add(text, frame);
        disk.keepFrame(text);
      }
      notify(text);
    },
    restore: (bytes, storedSnapshot, frames) => {
      replaceSnapshot(bytes, storedSnapshot);
      for (const { text, frame } of frames)
        if (frame.log === 'flags' || frame.log === 'tokens') add(text, frame);
    },
    next: (afterNumber, readerPosition) =>
      storedFrames.find(
        storedFrame => storedFrame.number > afterNumber && isLacking(storedFrame.frame, readerPosition),
      ),
    onText: listener => {
      notify = listener;
    },
    forward: text => notify(text),
    empty: async () => {
      snapshot = undefined;
      head = undefined;
      storedFrames = [];
      await disk.empty();
    },
  };
}

const isAfter = ({ log, rev }: FlagsFrame | TokensFrame, { revision, tokenRevision }: Position): boolean =>
  rev > (log === 'flags' ? revision : tokenRevision);

/** Includes frames at the reader's own revision, which may complete its history. A reader ignores a frame that it already has. */
const isLacking = (
  { epoch, log, rev }: FlagsFrame | TokensFrame,
  readerPosition: Position | undefined,
): boolean =>
  epoch !== readerPosition?.epoch ||
  rev >= (log === 'flags' ? readerPosition.revision : readerPosition.tokenRevision);

/** Returns whether a reader at this position can continue with the frames after `position`. */
export const canContinueFrom = (
  position: Position | undefined,
  readerPosition: Position | undefined,
): boolean =>
  position !== undefined &&
  readerPosition?.epoch === position.epoch &&
  readerPosition.revision >= position.revision &&
  readerPosition.tokenRevision >= position.tokenRevision;
