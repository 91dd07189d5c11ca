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
import { type IntegrationRow, listIntegrationsOf } from './store.ts';

/** The part of an integration that deliveries use. */
export type Receiver = {
  provider: string;
  ordered: boolean;
  /** An exhausted delivery blocks later deliveries. */
  blocks: boolean;
  /** Decrypts the parameters and keys on the first call and caches them. Throws a `PlanError` if that fails. */
  open: () => { parameters: Parameters; keys: KeyObject[] };
};

export async function loadReceivers(
  db: Reader,
  keyring: Keyring,
  ids: number[],
): Promise<Map<number, Receiver>> {
  const rows = await listIntegrationsOf(db, ids);
  return new Map(rows.map(row => [row.id, receiverOf(keyring, row)]));
}

function receiverOf(keyring: Keyring, row: IntegrationRow): Receiver {
  let opened: ReturnType<Receiver['open']> | undefined;
  return {
    provider: row.provider,
    ordered: row.ordered,
    blocks: row.ordered && row.whenExhausted === 'block',
    open: () => {
      opened ??= { parameters: parametersOf(keyring, row), keys: keysOf(keyring, row) };
      return opened;
    },
  };
}

function parametersOf(keyring: Keyring, row: IntegrationRow): Parameters {
  const parameters = readParameters(keyring, row);
  if (!parameters) throw new PlanError(UNREADABLE_PARAMETERS);
  return parameters;
}

function keysOf(keyring: Keyring, row: IntegrationRow): KeyObject[] {
  if (!isSigningSecretReadable(keyring, row)) throw new PlanError(UNREADABLE_SIGNING_SECRET);
  return openSigningSecrets(keyring, row, new Date()).map(signingKey);
}
