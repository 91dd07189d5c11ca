import { MASK } from '../secrets/mask.ts';
import { type Keyring, seal, unseal } from '../secrets/seal.ts';
import { providerNamed } from './providers/list.ts';
import type { Parameters, Provider } from './providers/provider.ts';
import type { Integration } from './schema.ts';
import type { IntegrationRow } from './store.ts';

export type { IntegrationRow };

/** Where each kind of secret of an integration is sealed to. */
export const placeOf = (id: number, what: 'parameters' | 'secret'): string => `integrations:${id}:${what}`;

/** Splits parameters into what anybody may see and what is sealed. */
export function sealParameters(keyring: Keyring, id: number, provider: Provider, parameters: Parameters) {
  const secret = new Set(provider.parameters.filter(({ sensitive }) => sensitive).map(({ name }) => name));
  const pick = (wanted: boolean) =>
    Object.fromEntries(Object.entries(parameters).filter(([name]) => secret.has(name) === wanted));
  return {
    parameters: pick(false),
    sealedParameters: seal(keyring, placeOf(id, 'parameters'), JSON.stringify(pick(true))),
  };
}

export function openParameters(keyring: Keyring, row: IntegrationRow): Parameters {
  const { id, parameters, sealedParameters } = row;
  if (sealedParameters === null) return parameters;
  return { ...parameters, ...JSON.parse(unseal(keyring, placeOf(id, 'parameters'), sealedParameters)) };
}

/** Those that requests are signed with at this moment: the current one and, for a while, the one before. */
export function openSigningSecrets(keyring: Keyring, row: IntegrationRow, at: Date): string[] {
  const old = row.oldSecretUntil !== null && new Date(row.oldSecretUntil) > at ? row.sealedOldSecret : null;
  return [row.sealedSecret, old].flatMap(sealed =>
    sealed === null ? [] : [unseal(keyring, placeOf(row.id, 'secret'), sealed)],
  );
}

/** As answers and events show it: whichever sensitive parameters there are, a mask stands for each. */
export function masked(keyring: Keyring, row: IntegrationRow): Integration {
  const { sealedParameters: _, sealedSecret: __, sealedOldSecret: ___, failedAttempts: ____, ...shown } = row;
  const sensitive = providerNamed(row.provider)?.parameters.filter(one => one.sensitive) ?? [];
  // Without the key it cannot be told which are there, and that is no reason to refuse the list.
  const there = keyring.length > 0 ? openParameters(keyring, row) : {};
  const masks = sensitive.filter(({ name }) => there[name] !== undefined).map(({ name }) => [name, MASK]);
  return { ...shown, parameters: { ...row.parameters, ...Object.fromEntries(masks) } };
}
