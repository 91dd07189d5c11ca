import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type { FlagsFrame, Frame, TokensFrame } from '../../plane/src/feed/frames.ts';
import type { Position } from '../../plane/src/feed/publisher.ts';
import type { Snapshot } from '../../plane/src/snapshot/format.ts';
import type { FeedDisk } from './feed-disk.ts';

/** Frames that are replaced by a new snapshot, and their size. */
const MAX_FRAMES = 1_000;
const MAX_FRAME_CHARACTERS = 32 * 1_024 * 1_024;

const compress = promisify<Buffer, { level: number }, Buffer>(gzip);

type Kept = { number: number; text: string; frame: FlagsFrame | TokensFrame };

/** The signed bytes of the feed as they arrived: in memory for edges that read from this one, and on disk for the next start. */
export type FeedCopy = {
  /** The position of the snapshot, and its bytes, compressed. */
  readonly snapshot: { position: Position; gzip: Promise<Buffer> } | undefined;
  /** The last head, and when it arrived by the monotonic clock. */
  readonly head: { text: string; at: number } | undefined;
  /** Whether a new snapshot should replace the frames because there are too many. After it was true, that many more must arrive first. */
  isLong: () => boolean;
  /**
   * Whether the snapshot can replace frames: an edge's snapshot may be older than what it sends, and newer than this one. Only if there are
   * many frames, or if the snapshot is outdated.
   */
  includes: (snapshot: Snapshot, isOutdated?: boolean) => boolean;
  /** Keeps a snapshot, and the frames after it. */
  keepSnapshot: (bytes: Buffer, snapshot: Snapshot) => Promise<void>;
  /** Keeps a frame that was applied. A head is useless after a restart, so it is not stored. */
  keepFrame: (text: string, frame: Frame) => void;
  /** Takes what was read from disk, which is there already. */
  restore: (bytes: Buffer, snapshot: Snapshot, frames: readonly { text: string; frame: Frame }[]) => void;
  /** The first frame after this number that a reader may lack. */
  next: (after: number, from: Position | undefined) => Kept | undefined;
  /** Calls back with everything that arrives, as it was signed. */
  onText: (listener: (text: string) => void) => void;
  /** Sends a message to the listeners without keeping it. */
  pass: (text: string) => void;
  /** The token was revoked. */
  empty: () => Promise<void>;
};

export function makeFeedCopy(disk: FeedDisk): FeedCopy {
  let snapshot: FeedCopy['snapshot'];
  let head: FeedCopy['head'];
  let kept: Kept[] = [];
  let characters = 0;
  let number = 0;
  /** How often a new snapshot was due. An edge's snapshot may be too old to replace frames. */
  let attempts = 1;
  let tell: (text: string) => void = () => {};

  const begin = (bytes: Buffer, { epoch, revision, tokenRevision }: Snapshot): void => {
    const gzipped = compress(bytes, { level: constants.Z_BEST_SPEED });
    // Whoever asks for it gets the error.
    gzipped.catch(() => {});
    const position = { epoch, revision, tokenRevision };
    snapshot = { position, gzip: gzipped };
    kept = kept.filter(({ frame }) => frame.epoch === epoch && isAfter(frame, position));
    characters = kept.reduce((sum, { text }) => sum + text.length, 0);
    attempts = 1 + Math.floor(Math.max(kept.length / MAX_FRAMES, characters / MAX_FRAME_CHARACTERS));
  };

  const add = (text: string, frame: FlagsFrame | TokensFrame): void => {
    kept.push({ number: ++number, text, frame });
    characters += text.length;
  };

  return {
    get snapshot() {
      return snapshot;
    },
    get head() {
      return head;
    },
    isLong: () => {
      const isDue = kept.length > attempts * MAX_FRAMES || characters > attempts * MAX_FRAME_CHARACTERS;
      if (isDue) attempts++;
      return isDue;
    },
    includes: ({ epoch, revision, tokenRevision }, isOutdated = false) =>
      (attempts > 1 || isOutdated) && continues(snapshot?.position, { epoch, revision, tokenRevision }),
    keepSnapshot: async (bytes, taken) => {
      begin(bytes, taken);
      const written = disk.keepSnapshot(bytes);
      for (const { text } of kept) disk.keepFrame(text);
      await written;
    },
    keepFrame: (text, frame) => {
      if (frame.log === 'head') head = { text, at: performance.now() };
      else if (frame.log === 'flags' || frame.log === 'tokens') {
        add(text, frame);
        disk.keepFrame(text);
      }
      tell(text);
    },
    restore: (bytes, taken, frames) => {
      begin(bytes, taken);
      for (const { text, frame } of frames)
        if (frame.log === 'flags' || frame.log === 'tokens') add(text, frame);
    },
    next: (after, from) => kept.find(one => one.number > after && isLacking(one.frame, from)),
    onText: listener => {
      tell = listener;
    },
    pass: text => tell(text),
    empty: async () => {
      snapshot = undefined;
      head = undefined;
      kept = [];
      await disk.empty();
    },
  };
}

const isAfter = ({ log, rev }: FlagsFrame | TokensFrame, { revision, tokenRevision }: Position): boolean =>
  rev > (log === 'flags' ? revision : tokenRevision);

/** A reader ignores a frame that it has. One of the same revision may complete its history. */
const isLacking = ({ epoch, log, rev }: FlagsFrame | TokensFrame, from: Position | undefined): boolean =>
  epoch !== from?.epoch || rev >= (log === 'flags' ? from.revision : from.tokenRevision);

/** Whether frames after the first position continue from the second one. */
export const continues = (position: Position | undefined, from: Position | undefined): boolean =>
  position !== undefined &&
  from?.epoch === position.epoch &&
  from.revision >= position.revision &&
  from.tokenRevision >= position.tokenRevision;
