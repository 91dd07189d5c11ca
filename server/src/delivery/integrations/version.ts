import type { Keyring } from '../../platform/secrets/seal.ts';
import type { Versioned } from '../../record/versioned.ts';
import type { Integration } from './schema.ts';
import { type IntegrationRow, masked } from './sealed.ts';
import { lockIntegration } from './store.ts';
import { viewFor } from './visibility.ts';

/** Includes the encrypted parameters, because two secrets have the same mask. */
type Shown = Integration & Pick<IntegrationRow, 'sealedParameters'>;

export const shownOf = (keyring: Keyring, row: IntegrationRow): Shown => ({
  ...masked(keyring, row),
  sealedParameters: row.sealedParameters,
});

/** Integrations as a resource with an ETag. Deliveries change the derived fields. */
export const versionedIntegration = (keyring: Keyring): Versioned<number, Shown> => ({
  nameOf: id => `Integration ${id}`,
  lock: async ({ tx, actor }, id) => {
    const row = await lockIntegration(tx, id);
    const visible = row && (await viewFor(tx, actor, [row]))(row);
    return visible && shownOf(keyring, visible);
  },
  derived: ['createdAt', 'failingSince', 'disabledAt', 'disabledBecause', 'oldSecretUntil', 'problem'],
});
