import type { StreamLimits } from './limits.ts';
import type { Stream } from './stream.ts';

/** After this time, the frame of a slow client no longer counts towards the limit. */
const COUNTED_FOR_MS = 30_000;
/** Building a frame with 10,000 features takes 30 ms. */
const SLICE_MS = 5;
/** Frames are written in parts of this size, so that the server notices whether the client reads. */
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
  /** Whether at the previous sweep the client had read nothing for too long. */
  isOverdue: boolean;
};

/** Sends hydrations and other large frames first come, first served. The number of bytes in flight is limited. */
export function makeLargeFrames(
  { largeBytesInFlight: maxBytes, stalledAfterMs }: StreamLimits,
  /** Returns the frame for the client and counts it as sent. */
  takeFrame: (stream: Stream) => Buffer,
  onRead: (stream: Stream) => void,
  cutOff: (stream: Stream) => void,
): LargeFrames {
  const waiting = new Set<Stream>();
  const progressByStream = new Map<Stream, Progress>();
  let bytesInFlight = 0;
  let isScheduled = false;

  /** Sets how many bytes the client's frame counts for in the limit. */
  const setCountedBytes = (stream: Stream, bytes: number): void => {
    const progress = progressByStream.get(stream);
    if (!progress) return;
    bytesInFlight += bytes - progress.bytes;
    progress.bytes = bytes;
  };

  const schedule = (): void => {
    if (isScheduled || waiting.size === 0 || bytesInFlight >= maxBytes) return;
    isScheduled = true;
    setImmediate(startFrames);
  };

  const startFrames = (): void => {
    isScheduled = false;
    const deadline = performance.now() + SLICE_MS;
    for (const stream of waiting) {
      waiting.delete(stream);
      startFrame(stream);
      if (bytesInFlight >= maxBytes || performance.now() >= deadline) break;
    }
    schedule();
  };

  const startFrame = (stream: Stream): void => {
    const { socket } = stream;
    stream.largeFrame = 'in flight';
    const frame = takeFrame(stream);
    const now = performance.now();
    const progress: Progress = {
      bytes: frame.length,
      countedUntil: now + COUNTED_FOR_MS,
      readAt: now,
      isOverdue: false,
    };
    bytesInFlight += frame.length;
    progressByStream.set(stream, progress);
    const writePart = (offset: number): void => {
      if (socket.destroyed) return;
      progress.readAt = performance.now();
      progress.isOverdue = false;
      if (offset < frame.length) {
        socket.write(frame.subarray(offset, offset + PART_BYTES), () => writePart(offset + PART_BYTES));
        return;
      }
      setCountedBytes(stream, 0);
      progressByStream.delete(stream);
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
      setCountedBytes(stream, 0);
      progressByStream.delete(stream);
      schedule();
    },
    sweep: () => {
      const now = performance.now();
      for (const [stream, progress] of progressByStream) {
        const { countedUntil, readAt, isOverdue } = progress;
        // If the whole process was paused, every client seems stalled, so a client is cut off only if the next sweep confirms it.
        progress.isOverdue = readAt + stalledAfterMs < now;
        if (isOverdue && progress.isOverdue) cutOff(stream);
        else if (countedUntil < now) setCountedBytes(stream, 0);
      }
      schedule();
    },
    get waiting() {
      return waiting.size;
    },
  };
}
