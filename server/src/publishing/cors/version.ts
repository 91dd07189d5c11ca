import type { Versioned } from '../../record/versioned.ts';
import type { CorsSettings, UiConfig } from './schema.ts';
import { lockOrigins } from './store.ts';

/** The configuration for clients. Only its origins are editable. */
export const VERSIONED_CONFIG: Versioned<'config', CorsSettings & Partial<UiConfig>> = {
  formatName: () => 'The list of allowed origins',
  lock: async ({ tx }) => ({ frontendApiOrigins: await lockOrigins(tx) }),
  derived: ['name', 'version', 'unleashUrl', 'baseUriPath'],
};
