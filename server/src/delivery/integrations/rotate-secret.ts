import { ApiError, invalidOperation } from '../../../../plane/src/platform/errors.ts';
import { needsKey } from '../../platform/secrets/needs-key.ts';
import { type Keyring, seal } from '../../platform/secrets/seal.ts';
import type { Change } from '../../record/change.ts';
import { identityOf, lockVisibleIntegration } from './lock.ts';
import { providerNamed } from './providers/list.ts';
import type { SecretRotation } from './schema.ts';
import { isSigningSecretReadable, sealContextOf } from './sealed.ts';
import { newSigningSecret } from './signing.ts';
import { updateSecrets } from './store.ts';

const OVERLAP_HOURS = 24;

/** Creates a new signing secret. During the overlap, requests are signed with the previous secret too. */
export async function rotateSigningSecret(
  current: Change,
  keyring: Keyring,
  id: number,
  { overlapHours = OVERLAP_HOURS, force = false }: SecretRotation,
): Promise<{ signingSecret: string; oldSecretUntil: string | null }> {
  needsKey(keyring);
  const integration = await lockVisibleIntegration(current, id);
  if (!providerNamed(integration.provider)?.signed) {
    throw invalidOperation(
      `Provider "${integration.provider}" does not sign requests, so integration ${id} has no signing secret.`,
    );
  }
  const until = integration.oldSecretUntil;
  if (!force && until !== null && new Date(until) > new Date()) {
    throw new ApiError(
      'ConflictError',
      `The previous secret of integration ${id} is valid until ${until}. To revoke it now, send "force": true.`,
    );
  }
  const isReadable = isSigningSecretReadable(keyring, integration);
  const signingSecret = newSigningSecret();
  const oldSecretUntil = await updateSecrets(current.tx, id, {
    secret: seal(keyring, sealContextOf(id, 'secret'), signingSecret),
    oldSecret: overlapHours === 0 || !isReadable ? null : integration.sealedSecret,
    overlapHours,
  });
  current.record({
    type: 'integration-secret-rotated',
    data: { ...identityOf(integration), oldSecretUntil },
  });
  return { signingSecret, oldSecretUntil };
}
