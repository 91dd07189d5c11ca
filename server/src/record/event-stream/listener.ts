import { Readable } from 'node:stream';
import type { Transport } from '../../../../plane/src/platform/http/output/open-streams.ts';
import { spreadRetryMs } from '../../../../plane/src/platform/http/output/server-sent-events.ts';
import type { Actor, Credential } from '../../platform/actor.ts';
import { commentFrame, heartbeatFrame, resetFrame, startFrame } from './frames.ts';
import type { StreamSearch } from './parameters.ts';

/** One connected client. */
export type Listener = {
  /** The caller as the limits count it: a user or a token. */
  readonly caller: string;
  readonly credential: Credential;
  readonly search: Omit<StreamSearch, 'after'>;
  /** The caller at the last access check. */
  actor: Actor;
  readonly stream: Readable;
  isOpen: boolean;
  /** Every event up to this id was sent or does not match. Set when the listener starts. */
  position: number;
  /** The epoch of the database that the position belongs to. */
  epoch: string;
  isCatchingUp: boolean;
  /** How many ids its next read for catching up covers, and how many events the read returns at most. */
  catchUpIds: number;
  catchUpEvents: number;
};

/** An event as the client gets it. `key` is the same for the same bytes. */
export type Frame = { id: number; key: string; bytes: () => Buffer };

/** A bounded range, so that a rare filter on a long log stays far below the statement timeout. */
export const CATCH_UP_IDS = 20_000;
export const CATCH_UP_EVENTS = 100;
/** Not yet sent to a client that reads slowly. One event may exceed it. */
const MAX_UNSENT_BYTES = 262_144;
/** After a server restart, clients should reconnect at different moments. */
const RETRY_MS = { least: 1_000, most: 3_000 };

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
 * Sends the frames, and moves the listener to `upTo`. A client without room for all of them gets the first ones. It gets the rest
 * when it has read those. Returns how many frames and bytes it sent.
 */
export function send(
  listener: Listener,
  frames: Frame[],
  upTo: number,
  join: (frames: Frame[]) => Buffer,
): { frames: number; bytes: number } {
  const fitting = firstFitting(frames, MAX_UNSENT_BYTES - listener.stream.readableLength);
  const bytes = fitting.length > 0 ? join(fitting) : Buffer.alloc(0);
  if (bytes.length > 0) push(listener, bytes);
  listener.position = fitting.length === frames.length ? upTo : (fitting.at(-1)?.id ?? listener.position);
  return { frames: fitting.length, bytes: bytes.length };
}

/** At least one frame while there is room at all. The others are not encoded. */
function firstFitting(frames: Frame[], room: number): Frame[] {
  let used = 0;
  const end = frames.findIndex(({ bytes }) => {
    if (used >= room) return true;
    used += bytes().length;
    return false;
  });
  return end < 0 ? frames : frames.slice(0, end);
}

/** Ends the response in the regular way. The client reconnects, or learns why it cannot. */
export const end = (listener: Listener, why: string): void => endWith(listener, commentFrame(why));

/** Ends the response because the log lost events that the client has. The client resumes after the last one that it still has. */
export const reset = (listener: Listener, why: string, position: number): void =>
  endWith(listener, resetFrame(why, position));

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
