import type { IncomingHttpHeaders } from 'node:http';
import type { SdkToken } from './tokens/tokens.ts';

export type Reporter = Pick<SdkToken, 'id' | 'type' | 'environment' | 'projects'>;

/** The body of a report as an SDK sent it. */
type Fields = Record<string, unknown>;

/** Accepts what SDKs report. All routes for SDKs report through these functions. */
export type Reports = {
  /** Records the registration of an SDK that starts. */
  register: (token: Reporter, headers: IncomingHttpHeaders, body: Fields) => void;
  /**
   * Records the counts of an SDK. Anything that cannot be read is skipped, because an SDK that gets 400 sends no metrics until it
   * restarts. Returns a promise if the body is too large for one turn.
   */
  report: (token: Reporter, headers: IncomingHttpHeaders, body: Fields) => Promise<void> | undefined;
  /** Records the counts of a proxy, or rejects an invalid body and counts none of it. Returns a promise as `report` does. */
  reportBulk: (token: Reporter, body: Fields) => Promise<void> | undefined;
};
