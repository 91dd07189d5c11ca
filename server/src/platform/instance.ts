import type { Limits } from './config.ts';
import type { DryRuns } from './http/protection/dry-runs.ts';
import type { LongReads } from './http/protection/long-reads.ts';
import type { Keyring } from './secrets/seal.ts';

/** What operations need to know about the server they run on. */
export type Instance = {
  limits: Limits;
  publicUrl: string;
  longReads: LongReads;
  dryRuns: DryRuns;
  /** The keys for stored secrets. */
  keyring: Keyring;
};
