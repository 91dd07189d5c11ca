import type { StreamLimits } from './limits.ts';
import type { Stream } from './stream.ts';

/** After this time, the frame of a slow client no longer counts towards the limit. */
const COUNTED_FOR_MS = 30_000;
/** Building a frame with 10,000 features takes 30 ms. */
const SLICE_MS = 5;
/** A frame is written in parts, which shows whether the client reads. */
const PART_BYTES = 262_144;

export type LargeFrames = {
  add: (stream: Stream) => void;
  remove: (stream: Stream) => void;
  /** Called every second. */
  sweep: () => void;
  readonly waiting: number;
};

type Progress = {
  bytes: number;
  countedUntil: number;
  readAt: number;
  /** Whether the previous sweep found that the client has read nothing for too long. */
  isOverdue: boolean;
};

/** Sends hydrations and other large frames, in the order of the clients. The number of bytes under way at the same time is limited. */
export function makeLargeFrames(
  { largeBytesUnderWay: mostBytes, stalledAfterMs }: StreamLimits,
  /** The frame for the client, which counts as sent. */
  take: (stream: Stream) => Buffer,
  onRead: (stream: Stream) => void,
  cutOff: (stream: Stream) => void,
): LargeFrames {
  const waiting = new Set<Stream>();
  const underWay = new Map<Stream, Progress>();
  let bytesUnderWay = 0;
  let isScheduled = false;

  /** From now on, the client's frame counts as this many bytes. */
  const count = (stream: Stream, bytes: number): void => {
    const progress = underWay.get(stream);
    if (!progress) return;
    bytesUnderWay += bytes - progress.bytes;
    progress.bytes = bytes;
  };

  const schedule = (): void => {
    if (isScheduled || waiting.size === 0 || bytesUnderWay >= mostBytes) return;
    isScheduled = true;
    setImmediate(start);
  };

  const start = (): void => {
    isScheduled = false;
    const until = performance.now() + SLICE_MS;
    for (const stream of waiting) {
      waiting.delete(stream);
      startOne(stream);
      if (bytesUnderWay >= mostBytes || performance.now() >= until) break;
    }
    schedule();
  };

  const startOne = (stream: Stream): void => {
    const { socket } = stream;
    stream.largeFrame = 'under way';
    const frame = take(stream);
    const now = performance.now();
    const progress: Progress = {
      bytes: frame.length,
      countedUntil: now + COUNTED_FOR_MS,
      readAt: now,
      isOverdue: false,
    };
    bytesUnderWay += frame.length;
    underWay.set(stream, progress);
    const writePart = (from: number): void => {
      if (socket.destroyed) return;
      progress.readAt = performance.now();
      progress.isOverdue = false;
      if (from < frame.length) {
        socket.write(frame.subarray(from, from + PART_BYTES), () => writePart(from + PART_BYTES));
        return;
      }
      count(stream, 0);
      underWay.delete(stream);
      stream.largeFrame = 'none';
      onRead(stream);
      schedule();
    };
    writePart(0);
  };

  return {
    add: stream => {
      stream.largeFrame = 'waiting';
      waiting.add(stream);
      schedule();
    },
    remove: stream => {
      waiting.delete(stream);
      count(stream, 0);
      underWay.delete(stream);
      schedule();
    },
    sweep: () => {
      const now = performance.now();
      for (const [stream, progress] of underWay) {
        const { countedUntil, readAt, isOverdue } = progress;
        // After a pause of the whole process, every client seems stalled. The ones that read show it before the next sweep.
        progress.isOverdue = readAt + stalledAfterMs < now;
        if (isOverdue && progress.isOverdue) cutOff(stream);
        else if (countedUntil < now) count(stream, 0);
      }
      schedule();
    },
    get waiting() {
      return waiting.size;
    },
  };
}
