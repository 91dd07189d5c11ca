import { fetchJson } from '../../reading/fetch-json.ts';
import type { GeneratedContext } from './contexts.ts';

const TIMEOUT_SECONDS = 30;

type Toggle = { name: string; variant?: { name?: string; enabled?: boolean; payload?: object } };

/** What browsers get for one context: the enabled flags by name, each with its variant as text. Or the status of the rejection. */
type Evaluated = Map<string, string> | number;

/** Verified with 4.19.5; 5.12.8 has the same hash as today's SDKs. */
const OLDER_HASH =
  '. Unleash 4 chooses the variants for browsers with an older hash, so visitors may get a different variant after the move';

export type FrontendComparison = { problems: string[]; features: number };

/** Compares what both servers evaluate for browsers with this token. The first context with a different result names the flag. */
export async function compareFrontend(
  urls: { unleash: string; halyard: string },
  token: string,
  contexts: GeneratedContext[],
  isRandom: (feature: string) => boolean,
): Promise<FrontendComparison> {
  const features = new Set<string>();
  const problems = new Map<string, string>();
  for (const context of contexts) {
    const there = await evaluate('Unleash', urls.unleash, token, context);
    const here = await evaluate('Halyard', urls.halyard, token, context);
    if (typeof there === 'number' || typeof here === 'number') {
      const [a, b] = [there, here].map(one => (typeof one === 'number' ? one : 200));
      return { problems: a === b ? [] : [`Unleash responds with ${a} and Halyard with ${b}`], features: 0 };
    }
    for (const name of new Set([...there.keys(), ...here.keys()])) {
      features.add(name);
      const [a, b] = [there.get(name) ?? 'disabled', here.get(name) ?? 'disabled'];
      if (a === b || isRandom(name) || problems.has(name)) continue;
      const reason = a.startsWith('variant') && b.startsWith('variant') ? OLDER_HASH : '';
      problems.set(
        name,
        `${name}: ${a} in Unleash and ${b} in Halyard, for ${JSON.stringify(context)}${reason}`,
      );
    }
  }
  return { problems: [...problems.values()], features: features.size };
}

async function evaluate(
  product: string,
  url: string,
  token: string,
  context: GeneratedContext,
): Promise<Evaluated> {
  const address = new URL('api/frontend', url.endsWith('/') ? url : `${url}/`);
  // The environment is that of the token.
  for (const name of ['userId', 'sessionId', 'remoteAddress', 'appName', 'currentTime'] as const)
    address.searchParams.set(name, context[name]);
  for (const [name, value] of Object.entries(context.properties))
    address.searchParams.set(`properties[${name}]`, value);
  const { status, body } = await fetchJson(address, {
    product,
    headers: { authorization: token },
    timeoutSeconds: TIMEOUT_SECONDS,
  });
  if (body === undefined) return status;
  const { toggles } = body as { toggles?: Toggle[] };
  return new Map((Array.isArray(toggles) ? toggles : []).map(one => [one.name, describe(one)]));
}

const describe = ({ variant }: Toggle): string =>
  variant?.enabled ? `variant ${variant.name} ${JSON.stringify(variant.payload ?? null)}` : 'enabled';
