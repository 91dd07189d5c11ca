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

/** An integration as deliveries need it. */
export type Receiver = {
  provider: string;
  ordered: boolean;
  /** A delivery that is given up holds up those behind it. */
  holds: boolean;
  /** Opens what is sealed, the first time only: it serves many deliveries. Throws a `PlanError` if it cannot. */
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
    holds: row.ordered && row.whenGivenUp === 'hold',
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
