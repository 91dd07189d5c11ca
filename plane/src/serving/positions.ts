import type { IncomingHttpHeaders } from 'node:http';
import type { Scope } from './state/scope.ts';
import type { SdkToken } from './tokens/tokens.ts';

/** One running SDK that this server has seen. */
export type KnownClient = {
  /** The environment revision up to which the client has every change in its scope, or 0 if it is unknown. */
  readonly revision: number;
};

/** Ends at most `max` streams of clients that are due. The clients then reconnect and send their revisions. */
export type ReconnectClients = (
  isDue: (client: KnownClient, environment: string) => boolean,
  max: number,
) => void;

/**
 * Records which revisions clients have. Only the revision sent by a client counts, because the client may never read a response
 * that was sent or a frame that the operating system accepted.
 */
export type Positions = {
  /** Records a request from a client, with the revision it sent for its scope, or undefined if it sent none. */
  recordContact: (
    token: SdkToken,
    headers: IncomingHttpHeaders,
    scope: Scope,
    presentedRevision: number | undefined,
  ) => KnownClient | undefined;
  /** Records that a client opened or closed a stream. */
  streamOpened: (client: KnownClient) => void;
  streamClosed: (client: KnownClient) => void;
  /** Records that the revision sent when the stream was opened is still the newest in its scope. */
  confirmCurrent: (client: KnownClient, scope: Scope) => void;
  /** Counts an evaluation for a browser, which does not count as an instance. */
  countEvaluation: (scope: Scope) => void;
  /** Sets the function that ends streams, so that their clients reconnect and send their revisions. */
  setReconnectClients: (reconnect: ReconnectClients) => void;
};
