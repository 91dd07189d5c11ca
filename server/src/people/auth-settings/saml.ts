import { ApiError } from '@halyard/plane/platform/errors.ts';
import type { SamlSettings } from './schema.ts';

export const SAML_SETTINGS: SamlSettings = { enabled: false };

/** Accepts `enabled: false`, and rejects `enabled: true`. */
export function setSamlSettings({ enabled }: SamlSettings): SamlSettings {
  if (!enabled) return SAML_SETTINGS;
  const message = 'Halyard does not support SAML. Use OpenID Connect: /api/admin/auth/oidc/settings.';
  throw new ApiError('BadDataError', message, { details: [{ message, path: '/body/enabled' }] });
}
