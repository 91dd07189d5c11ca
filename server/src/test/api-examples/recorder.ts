import type { Deliveries } from '../deliveries.ts';
import type { Harness } from '../harness.ts';
import type { IdentityProvider } from '../identity-provider.ts';
import type { ApiResponse, call } from '../request.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type Options = Parameters<typeof call>[3];

/** The response bodies by operation and status, such as `createProject 201`. */
export type RecordedBodies = Record<string, unknown>;

/** What the recording needs: the server and its callers. */
export type World = {
  harness: Harness;
  deliveries: Deliveries;
  provider: IdentityProvider;
  people: { username: string; password: string; token: string }[];
};

export type Recorder = World & {
  /** Sends a request as ada. */
  send: (method: Method, url: string, body?: unknown, options?: Options) => Promise<ApiResponse>;
  /** Sends a request whose response is the example of an operation. Returns the body. */
  record: (
    operation: string,
    method: Method,
    url: string,
    body?: unknown,
    options?: Options,
  ) => Promise<ApiResponse['body']>;
};

export const PROJECT_PATH = '/api/admin/projects/payments';
