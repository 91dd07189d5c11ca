import { MASK } from '../../platform/secrets/mask.ts';
import { type Keyring, seal, UnsealError, unseal } from '../../platform/secrets/seal.ts';
import { findProvider } from './providers/list.ts';
import type { Parameters, Provider } from './providers/provider.ts';
import type { Integration } from './schema.ts';
import type { IntegrationRow } from './store.ts';

export type { IntegrationRow };

/** Returns the context that binds an encrypted secret to its integration and kind. */
export const buildSealContext = (id: number, kind: 'parameters' | 'secret'): string =>
  `integrations:${id}:${kind}`;

/** Splits parameters into visible and secret ones, and encrypts the secret ones. */
export function sealParameters(keyring: Keyring, id: number, provider: Provider, parameters: Parameters) {
  const secretNames = new Set(
    provider.parameters.filter(({ sensitive }) => sensitive).map(({ name }) => name),
  );
  const pick = (areSecret: boolean) =>
    Object.fromEntries(Object.entries(parameters).filter(([name]) => secretNames.has(name) === areSecret));
  return {
    parameters: pick(false),
    sealedParameters: seal(keyring, buildSealContext(id, 'parameters'), JSON.stringify(pick(true))),
  };
}

export function openParameters(keyring: Keyring, row: IntegrationRow): Parameters {
  const { id, parameters, sealedParameters } = row;
  if (sealedParameters === null) return parameters;
  return {
    ...parameters,
    ...JSON.parse(unseal(keyring, buildSealContext(id, 'parameters'), sealedParameters)),
  };
}

/** Like `openParameters`, but returns undefined if the parameters cannot be decrypted. */
export const readParameters = (keyring: Keyring, row: IntegrationRow): Parameters | undefined =>
  tryUnseal(() => openParameters(keyring, row));

/** Decrypts the secrets that sign requests at this time: the current one and, during an overlap, the previous one. */
export function openSigningSecrets(keyring: Keyring, row: IntegrationRow, time: Date): string[] {
  const decrypt = (sealed: string) => unseal(keyring, buildSealContext(row.id, 'secret'), sealed);
  const { sealedSecret, sealedOldSecret, oldSecretUntil } = row;
  const current = sealedSecret === null ? [] : [decrypt(sealedSecret)];
  if (sealedOldSecret === null || oldSecretUntil === null || new Date(oldSecretUntil) <= time) return current;
  // Omits a previous secret that cannot be decrypted, because receivers with the current secret do not need it.
  const oldSecret = tryUnseal(() => decrypt(sealedOldSecret));
  return oldSecret === undefined ? current : [...current, oldSecret];
}

export const isSigningSecretReadable = (keyring: Keyring, row: IntegrationRow): boolean =>
  tryUnseal(() => openSigningSecrets(keyring, row, new Date())) !== undefined;

function tryUnseal<T>(open: () => T): T | undefined {
  try {
    return open();
  } catch (error) {
    if (error instanceof UnsealError) return undefined;
    throw error;
  }
}

/** Presents the integration for responses and events. Sensitive parameters are masked. */
export function maskIntegration(keyring: Keyring, row: IntegrationRow): Integration {
  const {
    sealedParameters: _,
    sealedSecret: __,
    sealedOldSecret: ___,
    failedAttempts: ____,
    ...visibleFields
  } = row;
  const definitions = findProvider(row.provider)?.parameters ?? [];
  const readableParameters = readParameters(keyring, row);
  const masks = definitions
    .filter(({ name, sensitive }) => sensitive && readableParameters?.[name] !== undefined)
    .map(({ name }) => [name, MASK]);
  const missingNames = definitions
    .filter(({ name, required }) => required && !readableParameters?.[name])
    .map(definition => definition.name);
  return {
    ...visibleFields,
    parameters: { ...row.parameters, ...Object.fromEntries(masks) },
    problem: findProblem(keyring, row, readableParameters === undefined, missingNames),
  };
}

function findProblem(
  keyring: Keyring,
  row: IntegrationRow,
  areUnreadable: boolean,
  missingNames: string[],
): string | null {
  if (keyring.length === 0)
    return 'The secrets cannot be decrypted, because this server has no HALYARD_SECRET_KEY.';
  if (areUnreadable) return UNREADABLE_PARAMETERS;
  if (missingNames.length > 0) return `Required parameters are missing: ${missingNames.join(', ')}.`;
  return isSigningSecretReadable(keyring, row) ? null : UNREADABLE_SIGNING_SECRET;
}

export const UNREADABLE_PARAMETERS =
  'The stored secret parameters cannot be decrypted. Update the integration and enter them again.';
export const UNREADABLE_SIGNING_SECRET = 'The signing secret cannot be decrypted. Rotate it.';
