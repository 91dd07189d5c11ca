import type { Keyring } from '../../platform/secrets/seal.ts';
import type { Versioned } from '../../record/versioned.ts';
import type { Integration } from './schema.ts';
import { type IntegrationRow, maskIntegration } from './sealed.ts';
import { lockIntegration } from './store.ts';
import { viewFor } from './visibility.ts';

/** Includes the encrypted parameters, because all secrets have the same mask. */
type ShownIntegration = Integration & Pick<IntegrationRow, 'sealedParameters'>;

export const presentVersioned = (keyring: Keyring, row: IntegrationRow): ShownIntegration => ({
  ...maskIntegration(keyring, row),
  sealedParameters: row.sealedParameters,
});

/** Gives integrations an ETag. If-Match ignores the derived fields, because deliveries change them. */
export const versionedIntegration = (keyring: Keyring): Versioned<number, ShownIntegration> => ({
  formatName: id => `Integration ${id}`,
  lock: async ({ tx, actor }, id) => {
    const row = await lockIntegration(tx, id);
    const visibleRow = row && (await viewFor(tx, actor, [row]))(row);
    return visibleRow && presentVersioned(keyring, visibleRow);
  },
  derived: ['createdAt', 'failingSince', 'disabledAt', 'disabledBecause', 'oldSecretUntil', 'problem'],
});
