import { exceedsLimit } from '@halyard/plane/platform/errors.ts';
import { addMissingTagTypes } from '../../flags/tags/create.ts';
import type { TargetPolicy } from '../../platform/outgoing/address.ts';
import { requireKey } from '../../platform/secrets/require-key.ts';
import { type Keyring, seal } from '../../platform/secrets/seal.ts';
import type { Change } from '../../record/change.ts';
import type { Integration, IntegrationInput } from './schema.ts';
import { buildSealContext, maskIntegration, sealParameters } from './sealed.ts';
import { newSigningSecret } from './signing.ts';
import { insertIntegration, lockIntegrationCount, nextIntegrationId } from './store.ts';
import { validateIntegration } from './validate.ts';
import { findFilterViolations } from './visibility.ts';

/** The keys that encrypt integration secrets, and the targets that requests can be sent to. */
export type IntegrationSettings = { keyring: Keyring; targets: TargetPolicy };

const MAX_INTEGRATIONS = 500;

/** Creates an integration. Only this result contains the signing secret. */
export async function createIntegration(
  current: Change,
  settings: IntegrationSettings,
  input: IntegrationInput,
): Promise<Integration & { signingSecret?: string }> {
  const { tx, actor, record } = current;
  requireKey(settings.keyring);
  const violations = await findFilterViolations(tx, actor, input);
  const { provider, parameters, ...filters } = validateIntegration(
    input,
    settings.targets,
    undefined,
    violations,
  );
  const signingSecret = provider.signed ? newSigningSecret() : undefined;
  if ((await lockIntegrationCount(tx)) >= MAX_INTEGRATIONS) {
    throw exceedsLimit(
      `The instance already has ${MAX_INTEGRATIONS} integrations, the maximum. Delete one first.`,
    );
  }
  const id = await nextIntegrationId(tx);
  const row = await insertIntegration(
    tx,
    id,
    {
      provider: provider.name,
      description: input.description ?? null,
      enabled: input.enabled,
      ...sealParameters(settings.keyring, id, provider, parameters),
      ...filters,
      eventsWithoutProject: input.eventsWithoutProject ?? false,
      ordered: input.ordered ?? false,
      whenExhausted: input.whenExhausted ?? 'skip',
    },
    signingSecret === undefined
      ? null
      : seal(settings.keyring, buildSealContext(id, 'secret'), signingSecret),
  );
  if (provider.tagTypes.length > 0) await addMissingTagTypes(current, provider.tagTypes);
  const integration = maskIntegration(settings.keyring, row);
  record({ type: 'addon-config-created', data: toEventData(integration) });
  return signingSecret === undefined ? integration : { ...integration, signingSecret };
}

/** Returns the fields that events contain: all except the status that the server maintains. */
export const toEventData = ({
  failingSince: _,
  disabledAt: __,
  disabledBecause: ___,
  oldSecretUntil: ____,
  problem: _____,
  ...fields
}: Integration) => fields;
