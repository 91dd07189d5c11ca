import type { IncomingHttpHeaders } from 'node:http';
import type { Scope } from './state/scope.ts';
import type { SdkToken } from './tokens/tokens.ts';

/** One SDK that was started somewhere, as far as this server has heard of it. */
export type KnownClient = {
  /** The revision of the environment up to which the client has every change that its scope contains. 0: unknown. */
  readonly revision: number;
};

/** Ends the streams of the clients that are due, at most this many, so that the clients reconnect and present what they have. */
export type AskStreams = (isDue: (client: KnownClient, environment: string) => boolean, most: number) => void;

/**
 * Takes which revisions clients have. Only what a client presents counts: a response that was sent, or a frame that the system has
 * accepted, may never be read.
 */
export type Positions = {
  /** A client asks, and presents the revision of its scope that it has. Undefined: it presents none. */
  hear: (
    token: SdkToken,
    headers: IncomingHttpHeaders,
    scope: Scope,
    presented: number | undefined,
  ) => KnownClient | undefined;
  /** The stream of the client was opened or closed. */
  opened: (client: KnownClient) => void;
  closed: (client: KnownClient) => void;
  /** What the client presented when it opened its stream is still everything that its scope contains. */
  stillCurrent: (client: KnownClient, scope: Scope) => void;
  /** Flags were evaluated for a browser, which is no instance. */
  evaluated: (scope: Scope) => void;
  /** Takes the function with which streams are asked. */
  useStreams: (ask: AskStreams) => void;
};
