/** Accounts, tokens and data that attacks and probes use. */
export type World = {
  port: number;
  /** Callers that attack. */
  attacker: Record<Caller, string>;
  /** Callers on a different network whose requests are measured meanwhile. */
  other: { viewer: string; editor: string; client: string; frontend: string };
  user: { username: string; password: string };
  /** The secret of a signup link. */
  invitation: string;
  /** The path of the event stream that the attacker's page gets with its flags. */
  pageStream: string;
};

export type Caller = 'anonymous' | 'frontend' | 'client' | 'viewer';

export type HarmRequest = {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
};

export type Attack = {
  name: string;
  caller: Caller;
  /** The nth request. The token of the caller is added, unless the request has an Authorization header. */
  request: (n: number, world: World) => HarmRequest;
  /**
   * What the client does: reads its responses, stops reading after the first bytes, disconnects after 1 s, or sends a byte of its body a
   * second. By default it reads.
   */
  client?: 'reads' | 'stalls' | 'leaves' | 'trickles';
};

export const json = (body: unknown): Pick<HarmRequest, 'method' | 'headers' | 'body'> => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

/** A value that is computed once, for bodies of megabytes. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
