import type { Versioned } from '../../record/versioned.ts';
import type { OidcSettings, SimpleSettings } from './schema.ts';
import { readOidcVersion, readSimpleSettings } from './settings.ts';
import { lockAuthSettings, type OidcRow } from './store.ts';

/** The version includes the encrypted secret, because two secrets have the same mask. */
type OidcVersion = OidcSettings & Pick<OidcRow, 'sealedSecret'>;

export const VERSIONED_OIDC: Versioned<'oidc', OidcVersion> = {
  formatName: () => 'The OIDC configuration',
  lock: async ({ tx }) => {
    await lockAuthSettings(tx);
    return await readOidcVersion(tx);
  },
  derived: [],
};

export const VERSIONED_SIMPLE: Versioned<'simple', SimpleSettings> = {
  formatName: () => 'The password login setting',
  lock: async ({ tx }) => {
    await lockAuthSettings(tx);
    return await readSimpleSettings(tx);
  },
  derived: [],
};
