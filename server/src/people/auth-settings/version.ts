import type { Versioned } from '../../record/versioned.ts';
import type { OidcSettings, SimpleSettings } from './schema.ts';
import { oidcVersion, simpleSettings } from './settings.ts';
import { lockAuthSettings, type OidcRow } from './store.ts';

/** Includes the encrypted secret, because two secrets have the same mask. */
type OidcVersion = OidcSettings & Pick<OidcRow, 'sealedSecret'>;

export const VERSIONED_OIDC: Versioned<'oidc', OidcVersion> = {
  nameOf: () => 'The OIDC configuration',
  lock: async ({ tx }) => {
    await lockAuthSettings(tx);
    return await oidcVersion(tx);
  },
  derived: [],
};

export const VERSIONED_SIMPLE: Versioned<'simple', SimpleSettings> = {
  nameOf: () => 'The password login setting',
  lock: async ({ tx }) => {
    await lockAuthSettings(tx);
    return await simpleSettings(tx);
  },
  derived: [],
};
