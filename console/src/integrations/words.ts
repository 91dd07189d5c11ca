import type { Tone } from '../ui/State.tsx';
import { lasting } from '../ui/time.ts';
import { counted } from '../ui/words.ts';
import type { Integration } from './queries.ts';

/** A word for the state of an integration, and a sentence if a person should act. */
export type IntegrationState = { tone: Tone; word: string; why?: string };

export function stateOf(integration: Integration, now = Date.now()): IntegrationState {
  const { enabled, problem, disabledBecause, failingSince } = integration;
  if (problem !== null) return { tone: 'bad', word: 'Misconfigured', why: problem };
  if (!enabled && disabledBecause !== null)
    return { tone: 'bad', word: 'Disabled by the server', why: disabledBecause };
  if (!enabled) return { tone: 'off', word: 'Disabled' };
  if (failingSince !== null)
    return {
      tone: 'bad',
      word: `Failing for ${lasting(Math.max(1000, now - Date.parse(failingSince)))}`,
      why: 'Every attempt has failed since then. If most attempts fail, the circuit breaker opens and lets one attempt through after a pause of 5 s to 1 min.',
    };
  return { tone: 'on', word: 'Enabled' };
}

type Names = ReadonlyMap<string, string>;

/** Which events an integration gets: "Every event of Payments in production". */
export function scopeOf(integration: Integration, projectNames: Names): string {
  const { events, projects, environments, filter } = integration;
  const types = events.includes('*') ? 'Every event' : counted(events.length, 'event type');
  const places = projects.filter(id => id !== '*');
  const where = places.length > 0 ? ` of ${listed(places.map(id => projectNames.get(id) ?? id))}` : '';
  const inside = environments.filter(name => name !== '*');
  return `${types}${where}${inside.length > 0 ? ` in ${listed(inside)}` : ''}${filter ? ', filtered' : ''}`;
}

const SHOWN = 2;
const listed = (names: readonly string[]): string =>
  names.length > SHOWN + 1
    ? `${names.slice(0, SHOWN).join(', ')} and ${names.length - SHOWN} others`
    : names.join(', ');

/** The name of an integration for people: its description, or its provider. */
export const titleOf = (
  integration: Pick<Integration, 'description' | 'provider'>,
  providers: readonly { name: string; displayName: string }[] = [],
): string =>
  integration.description ||
  (providers.find(({ name }) => name === integration.provider)?.displayName ?? integration.provider);
