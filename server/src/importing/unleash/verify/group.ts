import type { TokenResult } from './verify.ts';

/** A difference between the servers, and the tokens that show it. */
type Group = { environment: string; text: string; detail: string; tokens: string[] };

const MAX_NAMES = 3;

/**
 * Returns each difference once, as a line with the tokens that show it, because the tokens of an environment usually show the same
 * differences.
 */
export function describeDifferences(results: TokenResult[]): string[] {
  const groups = new Map<string, Group>();
  for (const { token, environment, problems } of results)
    for (const { text, detail = '' } of problems) {
      const key = JSON.stringify([environment, text]);
      const group = groups.get(key) ?? { environment, text, detail, tokens: [] };
      group.tokens.push(token);
      groups.set(key, group);
    }
  return [...groups.values()].map(describeGroup);
}

function describeGroup({ environment, text, detail, tokens }: Group): string {
  const names = tokens.slice(0, MAX_NAMES).join(', ');
  const otherCount = tokens.length - MAX_NAMES;
  const list = otherCount > 0 ? `${names} and ${otherCount.toLocaleString('en')} more` : names;
  const scope = environment === '' ? '' : `in ${environment}, `;
  // The detail comes last, because it can be long, and long lines are cut off.
  return `${text} (${scope}${tokens.length === 1 ? 'token' : 'tokens'} ${list})${detail}`;
}
