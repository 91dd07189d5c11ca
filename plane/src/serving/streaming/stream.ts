import type { Socket } from 'node:net';
import type { KnownClient } from '../positions.ts';
import type { Scope } from '../state/scope.ts';
import type { SdkToken } from '../tokens/tokens.ts';

/** One client. There are many thousands, so a stream is this object and its socket: no timer, no buffer, no promise. */
export type Stream = {
  readonly socket: Socket;
  readonly token: SdkToken;
  group: Group;
  /** The position of the client. The epoch is empty if the client has nothing of this scope. */
  epoch: string;
  revision: number;
  /** The client, unless the server has no room to remember it. */
  readonly known: KnownClient | undefined;
  /** The revision that the client presented, in the epoch of the stream. -1: none. */
  confirmed: number;
  /** Whether the client has not received an event yet. */
  isNew: boolean;
  /** Whether the stream ends after its first event, because there is no slot. */
  readonly isVisit: boolean;
  /** Whether a large frame waits for its turn or is under way. Until the client has it, it gets no other frame. */
  largeFrame: 'none' | 'waiting' | 'under way';
};

/** The streams of one scope. Streams at the same position get the same frame. */
export type Group = {
  readonly scope: Scope;
  readonly streams: Set<Stream>;
  /** The streams that the current round still has to visit. */
  rest: Iterator<Stream> | undefined;
  /** Whether a change came after the round began, so that another round follows. */
  isChanged: boolean;
  /** When the oldest change arrived that has not reached all streams. */
  changedAt: number;
  /** The frame that was sent last. */
  last: { key: string; etag: string; bytes: Buffer } | undefined;
};

export const makeGroup = (scope: Scope): Group => ({
  scope,
  streams: new Set(),
  rest: undefined,
  isChanged: false,
  changedAt: 0,
  last: undefined,
});

/** Whether the client lacks something. A client that is ahead, because it comes from a server that was ahead, waits. */
export const isBehind = ({ isNew, epoch, revision, group: { scope } }: Stream): boolean =>
  isNew || epoch !== scope.current.epoch || revision < scope.revision;
