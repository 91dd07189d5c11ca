import type { KeyObject } from 'node:crypto';
import type { Reader } from '../../platform/db/database.ts';
import type { Keyring } from '../../platform/secrets/seal.ts';
import { type Parameters, PlanError } from './providers/provider.ts';
import {
  isSigningSecretReadable,
  openSigningSecrets,
  readParameters,
  UNREADABLE_PARAMETERS,
  UNREADABLE_SIGNING_SECRET,
} from './sealed.ts';
import { signingKey } from './signing.ts';
import { type IntegrationRow, listIntegrationsById } from './store.ts';

/** The part of an integration that deliveries use. */
export type Receiver = {
  provider: string;
  ordered: boolean;
  /** Whether an exhausted delivery blocks later deliveries. */
  blocks: boolean;
  /** Decrypts the parameters and keys on the first call and caches them. Throws a `PlanError` if that fails. */
  open: () => { parameters: Parameters; keys: KeyObject[] };
};

export async function loadReceivers(
  db: Reader,
  keyring: Keyring,
  ids: number[],
): Promise<Map<number, Receiver>> {
  const rows = await listIntegrationsById(db, ids);
  return new Map(rows.map(row => [row.id, toReceiver(keyring, row)]));
}

function toReceiver(keyring: Keyring, row: IntegrationRow): Receiver {
  let secrets: ReturnType<Receiver['open']> | undefined;
  return {
    provider: row.provider,
    ordered: row.ordered,
    blocks: row.ordered && row.whenExhausted === 'block',
    open: () => {
      secrets ??= { parameters: requireParameters(keyring, row), keys: openSigningKeys(keyring, row) };
      return secrets;
    },
  };
}

function requireParameters(keyring: Keyring, row: IntegrationRow): Parameters {
  const parameters = readParameters(keyring, row);
  if (!parameters) throw new PlanError(UNREADABLE_PARAMETERS);
  return parameters;
}

function openSigningKeys(keyring: Keyring, row: IntegrationRow): KeyObject[] {
  if (!isSigningSecretReadable(keyring, row)) throw new PlanError(UNREADABLE_SIGNING_SECRET);
  return openSigningSecrets(keyring, row, new Date()).map(signingKey);
}
