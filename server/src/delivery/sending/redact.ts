import { MASK } from '../../platform/secrets/mask.ts';
import { customHeaders } from '../integrations/providers/parts.ts';
import type { Parameters, Provider } from '../integrations/providers/provider.ts';

/** Shorter strings occur by chance, and masking them would make a response unreadable. */
const MIN_LENGTH = 6;

/**
 * Returns a function that masks the secrets of an integration in a response, because a receiver may echo the request with its headers
 * and URL. Finds a secret as it was sent, in its JSON form and percent-encoded, even if it is cut off at the end of the
 * response.
 */
export function makeRedactor(
  provider: Provider,
  parameters: Parameters,
  otherSecrets: string[] = [],
): (text: string) => string {
  const secrets = [...collectSecrets(provider, parameters), ...otherSecrets]
    .flatMap(secret => [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)])
    .filter(secret => secret.length >= MIN_LENGTH)
    .toSorted((a, b) => b.length - a.length);
  const unique = [...new Set(secrets)];
  return text => {
    const maskedText = unique.reduce((masked, secret) => masked.replaceAll(secret, MASK), text);
    return unique.reduce(maskCutSecret, maskedText);
  };
}

function maskCutSecret(text: string, secret: string): string {
  for (let length = Math.min(secret.length - 1, text.length); length >= MIN_LENGTH; length--) {
    if (text.endsWith(secret.slice(0, length))) return text.slice(0, -length) + MASK;
  }
  return text;
}

/** Returns the values of sensitive parameters, and the parts of them that are secret on their own. */
function collectSecrets(provider: Provider, parameters: Parameters): string[] {
  return provider.parameters
    .filter(({ sensitive }) => sensitive)
    .flatMap(({ name, type }) => {
      const value = parameters[name];
      if (!value) return [];
      if (type === 'url') return [value, ...splitUrl(value)];
      if (type === 'headers')
        return Object.values(customHeaders({ customHeaders: value })).flatMap(listValueAndToken);
      return listValueAndToken(value);
    });
}

/** Returns the value and, if the value starts with a scheme such as Bearer, the token after it. */
const listValueAndToken = (value: string): string[] => [value, /^\S+ (\S+)$/.exec(value)?.[1] ?? ''];

function splitUrl(text: string): string[] {
  const url = URL.parse(text);
  if (!url) return [];
  const segments = url.pathname.split('/');
  return [url.pathname + url.search, url.pathname, ...segments, ...url.searchParams.values()];
}
