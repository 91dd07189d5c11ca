import { MASK } from '../../platform/secrets/mask.ts';
import { type Keyring, seal, UnsealError, unseal } from '../../platform/secrets/seal.ts';
import { providerNamed } from './providers/list.ts';
import type { Parameters, Provider } from './providers/provider.ts';
import type { Integration } from './schema.ts';
import type { IntegrationRow } from './store.ts';

export type { IntegrationRow };

/** The context that a secret is bound to when it is encrypted. */
export const sealContextOf = (id: number, what: 'parameters' | 'secret'): string =>
  `integrations:${id}:${what}`;

/** Splits parameters into visible ones and encrypted ones. */
export function sealParameters(keyring: Keyring, id: number, provider: Provider, parameters: Parameters) {
  const secret = new Set(provider.parameters.filter(({ sensitive }) => sensitive).map(({ name }) => name));
  const pick = (wanted: boolean) =>
    Object.fromEntries(Object.entries(parameters).filter(([name]) => secret.has(name) === wanted));
  return {
    parameters: pick(false),
    sealedParameters: seal(keyring, sealContextOf(id, 'parameters'), JSON.stringify(pick(true))),
  };
}

export function openParameters(keyring: Keyring, row: IntegrationRow): Parameters {
  const { id, parameters, sealedParameters } = row;
  if (sealedParameters === null) return parameters;
  return { ...parameters, ...JSON.parse(unseal(keyring, sealContextOf(id, 'parameters'), sealedParameters)) };
}

/** Like `openParameters`; undefined if they cannot be decrypted. */
export const readParameters = (keyring: Keyring, row: IntegrationRow): Parameters | undefined =>
  unlessUnreadable(() => openParameters(keyring, row));

/** The secrets that sign requests now: the current one and, during an overlap, the previous one. */
export function openSigningSecrets(keyring: Keyring, row: IntegrationRow, at: Date): string[] {
  const open = (sealed: string) => unseal(keyring, sealContextOf(row.id, 'secret'), sealed);
  const { sealedSecret, sealedOldSecret, oldSecretUntil } = row;
  const current = sealedSecret === null ? [] : [open(sealedSecret)];
  if (sealedOldSecret === null || oldSecretUntil === null || new Date(oldSecretUntil) <= at) return current;
  // Receivers that know the current secret do not need the previous one, so an unreadable one is omitted.
  const old = unlessUnreadable(() => open(sealedOldSecret));
  return old === undefined ? current : [...current, old];
}

export const isSigningSecretReadable = (keyring: Keyring, row: IntegrationRow): boolean =>
  unlessUnreadable(() => openSigningSecrets(keyring, row, new Date())) !== undefined;

function unlessUnreadable<T>(open: () => T): T | undefined {
  try {
    return open();
  } catch (error) {
    if (error instanceof UnsealError) return undefined;
    throw error;
  }
}

/** The integration for responses and events. Sensitive parameters are masked. */
export function masked(keyring: Keyring, row: IntegrationRow): Integration {
  const { sealedParameters: _, sealedSecret: __, sealedOldSecret: ___, failedAttempts: ____, ...shown } = row;
  const definitions = providerNamed(row.provider)?.parameters ?? [];
  const known = readParameters(keyring, row);
  const masks = definitions
    .filter(({ name, sensitive }) => sensitive && known?.[name] !== undefined)
    .map(({ name }) => [name, MASK]);
  const missing = definitions.filter(({ name, required }) => required && !known?.[name]).map(one => one.name);
  return {
    ...shown,
    parameters: { ...row.parameters, ...Object.fromEntries(masks) },
    problem: problemOf(keyring, row, known === undefined, missing),
  };
}

function problemOf(
  keyring: Keyring,
  row: IntegrationRow,
  unreadable: boolean,
  missing: string[],
): string | null {
  if (keyring.length === 0)
    return 'The secrets cannot be decrypted, because this server has no HALYARD_SECRET_KEY.';
  if (unreadable) return UNREADABLE_PARAMETERS;
  if (missing.length > 0) return `Required parameters are missing: ${missing.join(', ')}.`;
  return isSigningSecretReadable(keyring, row) ? null : UNREADABLE_SIGNING_SECRET;
}

export const UNREADABLE_PARAMETERS =
  'The stored secret parameters cannot be decrypted. Update the integration and enter them again.';
export const UNREADABLE_SIGNING_SECRET = 'The signing secret cannot be decrypted. Rotate it.';
