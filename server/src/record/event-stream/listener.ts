import { Readable } from 'node:stream';
import type { Transport } from '@halyard/plane/platform/http/output/open-streams.ts';
import { spreadRetryMs } from '@halyard/plane/platform/http/output/server-sent-events.ts';
import type { Actor, Credential } from '../../platform/actor.ts';
import { commentFrame, heartbeatFrame, resetFrame, startFrame } from './frames.ts';
import type { StreamSearch } from './parameters.ts';

/** One connected client. */
export type Listener = {
  /** The user or token that the limits count as the caller. */
  readonly caller: string;
  readonly credential: Credential;
  readonly search: Omit<StreamSearch, 'after'>;
  /** The caller at the last access check. */
  actor: Actor;
  readonly stream: Readable;
  isOpen: boolean;
  /** Every event up to this id was sent or does not match. The position is set when the listener starts. */
  position: number;
  /** The epoch of the database that the position belongs to. */
  epoch: string;
  isCatchingUp: boolean;
  /** How many ids the listener's next catch-up read covers, and the maximum number of events it returns. */
  catchUpIds: number;
  catchUpEvents: number;
};

/** An event as the client gets it. Frames with the same bytes have the same key. */
export type Frame = { id: number; key: string; bytes: () => Buffer };

/** A catch-up read covers only this many ids, so that a rare filter on a long log stays far below the statement timeout. */
export const CATCH_UP_IDS = 20_000;
export const CATCH_UP_EVENTS = 100;
/** The maximum number of unsent bytes for a client that reads slowly. A single event may exceed it. */
const MAX_UNSENT_BYTES = 262_144;
/** After a server restart, clients should reconnect at different times. */
const RETRY_MS = { min: 1_000, max: 3_000 };

export function makeListener(
  caller: string,
  actor: Actor,
  search: Omit<StreamSearch, 'after'>,
  onRoom: (listener: Listener) => void,
): Listener {
  if (!actor.credential) throw new Error('A stream requires a session or a token');
  const stream = new Readable({ highWaterMark: MAX_UNSENT_BYTES, read: () => onRoom(listener) });
  const { credential } = actor;
  const listener: Listener = {
    caller,
    credential,
    search,
    actor,
    stream,
    isOpen: true,
    position: 0,
    epoch: '',
    isCatchingUp: false,
    catchUpIds: CATCH_UP_IDS,
    catchUpEvents: CATCH_UP_EVENTS,
  };
  stream.once('close', () => {
    listener.isOpen = false;
  });
  return listener;
}

export function start(listener: Listener, position: number, epoch: string): void {
  listener.position = position;
  listener.epoch = epoch;
  push(listener, startFrame(spreadRetryMs(RETRY_MS), position));
}

export const hasRoom = ({ isOpen, stream }: Listener): boolean =>
  isOpen && stream.readableLength < MAX_UNSENT_BYTES;

/**
 * Sends the frames, and moves the listener to `lastId`. A client without room for all frames gets the first frames now, and the
 * rest once it has read those. Returns how many frames and bytes it sent.
 */
export function send(
  listener: Listener,
  frames: Frame[],
  lastId: number,
  join: (frames: Frame[]) => Buffer,
): { frames: number; bytes: number } {
  const fittingFrames = takeFitting(frames, MAX_UNSENT_BYTES - listener.stream.readableLength);
  const bytes = fittingFrames.length > 0 ? join(fittingFrames) : Buffer.alloc(0);
  if (bytes.length > 0) push(listener, bytes);
  listener.position =
    fittingFrames.length === frames.length ? lastId : (fittingFrames.at(-1)?.id ?? listener.position);
  return { frames: fittingFrames.length, bytes: bytes.length };
}

/** Returns the first frames that fit, and at least one if there is any room. Stops encoding when the room is used up. */
function takeFitting(frames: Frame[], room: number): Frame[] {
  let usedBytes = 0;
  const count = frames.findIndex(({ bytes }) => {
    if (usedBytes >= room) return true;
    usedBytes += bytes().length;
    return false;
  });
  return count < 0 ? frames : frames.slice(0, count);
}

/** Ends the response normally, with the reason in a comment. The client reconnects. */
export const end = (listener: Listener, reason: string): void => endWith(listener, commentFrame(reason));

/**
 * Ends the response because the log lost events that the client received. The client resumes after the last event still in the log.
 */
export const reset = (listener: Listener, reason: string, position: number): void =>
  endWith(listener, resetFrame(reason, position));

function endWith(listener: Listener, frame: string): void {
  if (!listener.isOpen) return;
  push(listener, frame);
  TRANSPORT.end(listener);
}

export const TRANSPORT: Transport<Listener> = {
  isClosed: ({ isOpen }) => !isOpen,
  unread: ({ stream }) => stream.readableLength,
  write: push,
  end: listener => {
    listener.isOpen = false;
    listener.stream.push(null);
  },
  destroy: ({ stream }) => stream.destroy(),
  // A client that still has data to read needs no heartbeat.
  heartbeat: ({ stream, position }) => (stream.readableLength === 0 ? heartbeatFrame(position) : undefined),
  farewell: () => commentFrame('the server is stopping'),
};

function push({ isOpen, stream }: Listener, bytes: string | Buffer): void {
  if (isOpen) stream.push(bytes);
}
