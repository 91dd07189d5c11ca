import type { IncomingHttpHeaders } from 'node:http';
import type { Scope } from './state/scope.ts';
import type { SdkToken } from './tokens/tokens.ts';

/** One running SDK that this server has seen. */
export type KnownClient = {
  /** The revision of the environment up to which the client has every change that its scope contains. 0: unknown. */
  readonly revision: number;
};

/** Ends the streams of the clients that are due, at most this many, so that the clients reconnect and present what they have. */
export type AskStreams = (isDue: (client: KnownClient, environment: string) => boolean, most: number) => void;

/**
 * Records which revisions clients have. Only what a client presents counts, because a response that was sent, or a frame that the
 * operating system accepted, may never be read.
 */
export type Positions = {
  /** A client sends a request and presents the revision that it has of its scope. Undefined: it presents none. */
  hear: (
    token: SdkToken,
    headers: IncomingHttpHeaders,
    scope: Scope,
    presented: number | undefined,
  ) => KnownClient | undefined;
  /** The stream of the client was opened or closed. */
  opened: (client: KnownClient) => void;
  closed: (client: KnownClient) => void;
  /** The revision that the client presented when it opened its stream is still the newest one in its scope. */
  stillCurrent: (client: KnownClient, scope: Scope) => void;
  /** Flags were evaluated for a browser, which does not count as an instance. */
  evaluated: (scope: Scope) => void;
  /** Sets the function that asks streams. */
  useStreams: (ask: AskStreams) => void;
};
