import type { Config } from '../../platform/config.ts';
import { SCOPES } from './resources.ts';

export type AuthorizationSettings = Pick<Config, 'publicUrl' | 'disabledAuthorization'>;

export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/** The server's metadata as RFC 8414 defines it: where the endpoints are, and what they support. */
export const buildServerMetadata = ({
  publicUrl,
  disabledAuthorization: disabled,
}: AuthorizationSettings) => ({
  issuer: publicUrl,
  authorization_endpoint: `${publicUrl}/authorize`,
  token_endpoint: `${publicUrl}/oauth/token`,
  revocation_endpoint: `${publicUrl}/oauth/revoke`,
  ...(!disabled.includes('registration') && { registration_endpoint: `${publicUrl}/oauth/register` }),
  ...(!disabled.includes('device') && {
    device_authorization_endpoint: `${publicUrl}/oauth/device_authorization`,
  }),
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: [
    ...['authorization_code', 'refresh_token'],
    ...(disabled.includes('device') ? [] : [DEVICE_GRANT]),
  ],
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: ['none'],
  revocation_endpoint_auth_methods_supported: ['none'],
  scopes_supported: [...SCOPES],
  client_id_metadata_document_supported: true,
  authorization_response_iss_parameter_supported: true,
});

/** The resource metadata as RFC 9728 defines it: who issues tokens for this server. */
export const buildResourceMetadata = (publicUrl: string, path: '' | '/mcp') => ({
  resource: `${publicUrl}${path}`,
  authorization_servers: [publicUrl],
  bearer_methods_supported: ['header'],
  scopes_supported: [...SCOPES],
  resource_name: 'Halyard',
});
