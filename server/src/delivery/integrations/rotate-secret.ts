import { ApiError, invalidOperation } from '@halyard/plane/platform/errors.ts';
import { requireKey } from '../../platform/secrets/require-key.ts';
import { type Keyring, seal } from '../../platform/secrets/seal.ts';
import type { Change } from '../../record/change.ts';
import { getIntegrationIdentity, lockVisibleIntegration } from './lock.ts';
import { findProvider } from './providers/list.ts';
import type { SecretRotation } from './schema.ts';
import { buildSealContext, isSigningSecretReadable } from './sealed.ts';
import { newSigningSecret } from './signing.ts';
import { updateSecrets } from './store.ts';

const OVERLAP_HOURS = 24;

/** Creates a new signing secret. During the overlap, requests are also signed with the previous secret. */
export async function rotateSigningSecret(
  current: Change,
  keyring: Keyring,
  id: number,
  { overlapHours = OVERLAP_HOURS, force = false }: SecretRotation,
): Promise<{ signingSecret: string; oldSecretUntil: string | null }> {
  requireKey(keyring);
  const integration = await lockVisibleIntegration(current, id);
  if (!findProvider(integration.provider)?.signed) {
    throw invalidOperation(
      `Provider "${integration.provider}" does not sign requests, so integration ${id} has no signing secret.`,
    );
  }
  const validUntil = integration.oldSecretUntil;
  if (!force && validUntil !== null && new Date(validUntil) > new Date()) {
    throw new ApiError(
      'ConflictError',
      `The previous secret of integration ${id} is valid until ${validUntil}. To revoke it now, send "force": true.`,
    );
  }
  const isReadable = isSigningSecretReadable(keyring, integration);
  const signingSecret = newSigningSecret();
  const oldSecretUntil = await updateSecrets(current.tx, id, {
    secret: seal(keyring, buildSealContext(id, 'secret'), signingSecret),
    oldSecret: overlapHours === 0 || !isReadable ? null : integration.sealedSecret,
    overlapHours,
  });
  current.record({
    type: 'integration-secret-rotated',
    data: { ...getIntegrationIdentity(integration), oldSecretUntil },
  });
  return { signingSecret, oldSecretUntil };
}
