import type { Limits } from './config.ts';
import type { LongReads } from './http/protection/long-reads.ts';
import type { Keyring } from './secrets/seal.ts';

/** What operations need to know about the server they run on. */
export type Instance = {
  limits: Limits;
  publicUrl: string;
  longReads: LongReads;
  /** The keys for stored secrets. */
  keyring: Keyring;
};
