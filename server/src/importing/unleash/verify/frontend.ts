import { fetchJson } from '../../reading/fetch-json.ts';
import type { GeneratedContext } from './contexts.ts';
import { compareStatus, type TokenDifference } from './documents.ts';

const TIMEOUT_SECONDS = 30;

type Toggle = { name: string; variant?: { name?: string; enabled?: boolean; payload?: object } };

/**
 * What browsers get for one context. This is either the enabled flags by name, each with its variant as text, or the status of the
 * rejection.
 */
type FrontendResult = Map<string, string> | number;

/** Verified with Unleash 4.19.5. Unleash 5.12.8 already uses the same hash as today's SDKs. */
const OLDER_HASH =
  '. Unleash 4 chooses the variants for browsers with an older hash, so visitors may get a different variant after the move';

export type FrontendComparison = { problems: TokenDifference[]; features: number; rejectedWith?: number };

/** Compares what both servers evaluate for browsers with this token. Reports each flag once, with the first context that differs. */
export async function compareFrontend(
  urls: { unleash: string; halyard: string },
  token: string,
  contexts: GeneratedContext[],
  isRandom: (feature: string) => boolean,
): Promise<FrontendComparison> {
  const features = new Set<string>();
  const problems = new Map<string, TokenDifference>();
  for (const context of contexts) {
    const unleashResult = await evaluate('Unleash', urls.unleash, token, context);
    const halyardResult = await evaluate('Halyard', urls.halyard, token, context);
    if (typeof unleashResult === 'number' || typeof halyardResult === 'number')
      return { ...compareStatus(unleashResult, halyardResult), features: 0 };
    for (const name of new Set([...unleashResult.keys(), ...halyardResult.keys()])) {
      features.add(name);
      const [a, b] = [unleashResult.get(name) ?? 'disabled', halyardResult.get(name) ?? 'disabled'];
      if (a === b || isRandom(name) || problems.has(name)) continue;
      const reason = a.startsWith('variant') && b.startsWith('variant') ? OLDER_HASH : '';
      problems.set(name, {
        text: `${name}: ${a} in Unleash and ${b} in Halyard`,
        detail: `${reason}. For example: ${JSON.stringify(context)}`,
      });
    }
  }
  return { problems: [...problems.values()], features: features.size };
}

async function evaluate(
  product: string,
  url: string,
  token: string,
  context: GeneratedContext,
): Promise<FrontendResult> {
  const requestUrl = new URL('api/frontend', url.endsWith('/') ? url : `${url}/`);
  // The token determines the environment.
  for (const name of ['userId', 'sessionId', 'remoteAddress', 'appName', 'currentTime'] as const)
    requestUrl.searchParams.set(name, context[name]);
  for (const [name, value] of Object.entries(context.properties))
    requestUrl.searchParams.set(`properties[${name}]`, value);
  const { status, body } = await fetchJson(requestUrl, {
    product,
    headers: { authorization: token },
    timeoutSeconds: TIMEOUT_SECONDS,
  });
  if (body === undefined) return status;
  const { toggles } = body as { toggles?: Toggle[] };
  return new Map((Array.isArray(toggles) ? toggles : []).map(toggle => [toggle.name, describe(toggle)]));
}

const describe = ({ variant }: Toggle): string =>
  variant?.enabled ? `variant ${variant.name} ${JSON.stringify(variant.payload ?? null)}` : 'enabled';
