import type { FastifyReply } from 'fastify';
import type { Shares } from '../platform/admission/shares.ts';
import type { SdkToken } from '../serving/tokens/tokens.ts';
import type { Position } from './publisher.ts';
import type { EdgeReport, EdgeReportResult } from './report.ts';

/** The ids of the edges that have passed a report on, separated by commas. */
export const PATH_HEADER = 'halyard-edge-path';

/** The edge that sends a report: its token, and the ids of the edges that passed the report on. */
export type Sender = { secret: string; path: readonly string[] };

/** What edges read from a server, or from another edge that read it there. A server signs every message. */
export type Feeds = {
  head: (token: SdkToken) => string;
  snapshot: (token: SdkToken) => Promise<{
    etag: string;
    plain: () => Buffer | Promise<Buffer>;
    gzip: () => Promise<Buffer>;
  }>;
  /** Brings an edge up to date and keeps it up to date. */
  open: (reply: FastifyReply, token: SdkToken, edgePosition: Position | undefined, headers: string[]) => void;
  /** Returns what is known about the token with this hash. */
  lookUpToken: (token: SdkToken, hash: string, network: string) => Promise<string>;
  /**
   * Returns the signed statement that the token with this hash was revoked or expired, or undefined if nobody can sign it now.
   */
  revocation: (hash: string) => Promise<string | undefined>;
  report: (token: SdkToken, report: EdgeReport, sender: Sender) => Promise<EdgeReportResult>;
  /** Says in error messages which tokens are accepted. Undefined if all edge tokens are. */
  readonly accepts: string | undefined;
  readonly shares: Shares;
  close: () => Promise<void>;
};
