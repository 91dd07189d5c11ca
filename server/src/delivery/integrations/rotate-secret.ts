import type { Actor } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { ApiError, invalidOperation, notFound } from '../../platform/errors.ts';
import { needsKey } from '../../platform/secrets/needs-key.ts';
import { type Keyring, seal } from '../../platform/secrets/seal.ts';
import { change } from '../../record/change.ts';
import { providerNamed } from './providers/list.ts';
import type { SecretRotation } from './schema.ts';
import { isSigningSecretReadable, placeOf } from './sealed.ts';
import { newSigningSecret } from './signing.ts';
import { lockIntegration, updateSecrets } from './store.ts';
import { viewFor } from './visible.ts';

const OVERLAP_HOURS = 24;

/** Gives an integration a new signing secret; for a while requests are signed with the one before as well. */
export async function rotateSigningSecret(
  db: Db,
  actor: Actor,
  keyring: Keyring,
  id: number,
  { overlapHours = OVERLAP_HOURS, force = false }: SecretRotation,
): Promise<{ signingSecret: string; oldSecretUntil: string | null }> {
  needsKey(keyring);
  return await change(db, actor, async ({ tx, record }) => {
    const stored = await lockIntegration(tx, id);
    const integration = stored && (await viewFor(tx, actor, [stored]))(stored);
    if (!integration) throw notFound(`Integration ${id}`);
    if (!providerNamed(integration.provider)?.signed) {
      throw invalidOperation(`Requests of the provider ${integration.provider} are not signed.`);
    }
    const until = integration.oldSecretUntil;
    if (!force && until !== null && new Date(until) > new Date()) {
      throw new ApiError(
        'ConflictError',
        `The secret was rotated already, and the one before is in use until ${until}. Send force to drop it now.`,
      );
    }
    const isReadable = isSigningSecretReadable(keyring, integration);
    const signingSecret = newSigningSecret();
    const oldSecretUntil = await updateSecrets(tx, id, {
      secret: seal(keyring, placeOf(id, 'secret'), signingSecret),
      oldSecret: overlapHours === 0 || !isReadable ? null : integration.sealedSecret,
      overlapHours,
    });
    record({
      type: 'integration-secret-rotated',
      data: { id, provider: integration.provider, description: integration.description, oldSecretUntil },
    });
    return { signingSecret, oldSecretUntil };
  });
}
