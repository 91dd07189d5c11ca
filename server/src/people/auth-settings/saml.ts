import { ApiError } from '../../platform/errors.ts';
import type { SamlSettings } from './schema.ts';

export const SAML_SETTINGS: SamlSettings = { enabled: false };

/** Accepts what is so already, and refuses what would have to be pretended. */
export function setSamlSettings({ enabled }: SamlSettings): SamlSettings {
  if (!enabled) return SAML_SETTINGS;
  const message =
    'SAML is not part of Halyard. Single sign-on is by OpenID Connect: /api/admin/auth/oidc/settings.';
  throw new ApiError('BadDataError', message, { details: [{ message, path: '/body/enabled' }] });
}
