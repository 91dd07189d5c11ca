import type { Socket } from 'node:net';
import type { KnownClient } from '../positions.ts';
import type { Scope } from '../state/scope.ts';
import type { SdkToken } from '../tokens/tokens.ts';

/** One client. There can be many thousands, so each has only this object and its socket: no timer, no buffer, no promise. */
export type Stream = {
  readonly socket: Socket;
  readonly token: SdkToken;
  group: Group;
  /** The client's position. The epoch is empty if the client has no data of this scope. */
  epoch: string;
  revision: number;
  /** The client, unless the server has no room to remember it. */
  readonly knownClient: KnownClient | undefined;
  /** The revision that the client sent in its request, in the stream's epoch, or -1 if it sent none. */
  confirmedRevision: number;
  /** Whether the client has not received an event yet. */
  isNew: boolean;
  /** Whether the stream ends after its first event, because there is no slot. */
  readonly endsAfterFirstEvent: boolean;
  /** Whether a large frame is waiting for its turn or in flight. The client gets no other frame until it has this one. */
  largeFrame: 'none' | 'waiting' | 'in flight';
};

/** The streams of one scope. Streams at the same position get the same frame. */
export type Group = {
  readonly scope: Scope;
  readonly streams: Set<Stream>;
  /** The streams not yet visited in the current round. */
  unvisited: Iterator<Stream> | undefined;
  /** Whether a change came after the round started, so that another round follows. */
  isChanged: boolean;
  /** The arrival time of the oldest change that has not reached all streams yet. */
  changedAt: number;
  /** The most recently sent frame. */
  lastFrame: { key: string; etag: string; bytes: Buffer } | undefined;
};

export const makeGroup = (scope: Scope): Group => ({
  scope,
  streams: new Set(),
  unvisited: undefined,
  isChanged: false,
  changedAt: 0,
  lastFrame: undefined,
});

/** Returns whether the client lacks something. A client that is ahead, because a different server sent it more, lacks nothing. */
export const isBehind = ({ isNew, epoch, revision, group: { scope } }: Stream): boolean =>
  isNew || epoch !== scope.current.epoch || revision < scope.revision;
