import type { Tone } from '../ui/State.tsx';
import { formatDuration } from '../ui/time.ts';
import { formatCount } from '../ui/words.ts';
import type { Integration } from './queries.ts';

/** A label for the state of an integration, and an explanation if a user should act. */
export type IntegrationState = { tone: Tone; label: string; why?: string };

export function getIntegrationState(integration: Integration, now = Date.now()): IntegrationState {
  const { enabled, problem, disabledBecause, failingSince } = integration;
  if (problem !== null) return { tone: 'bad', label: 'Misconfigured', why: problem };
  if (!enabled && disabledBecause !== null)
    return { tone: 'bad', label: 'Disabled by the server', why: disabledBecause };
  if (!enabled) return { tone: 'off', label: 'Disabled' };
  if (failingSince !== null)
    return {
      tone: 'bad',
      label: `Failing for ${formatDuration(Math.max(1000, now - Date.parse(failingSince)))}`,
      why: 'Every attempt has failed since then. If most attempts fail, the circuit breaker opens and lets one attempt through after a pause of 5 s to 1 min.',
    };
  return { tone: 'on', label: 'Enabled' };
}

type Names = ReadonlyMap<string, string>;

/** Describes which events an integration receives, for example "Every event from Payments in production". */
export function describeEvents(integration: Integration, projectNames: Names): string {
  const { events, projects, environments, filter } = integration;
  const types = events.includes('*') ? 'Every event' : formatCount(events.length, 'event type');
  const projectIds = projects.filter(id => id !== '*');
  const projectText =
    projectIds.length > 0 ? ` from ${formatNames(projectIds.map(id => projectNames.get(id) ?? id))}` : '';
  const environmentNames = environments.filter(name => name !== '*');
  return `${types}${projectText}${environmentNames.length > 0 ? ` in ${formatNames(environmentNames)}` : ''}${filter ? ', filtered' : ''}`;
}

const MAX_SHOWN_NAMES = 2;
const formatNames = (names: readonly string[]): string =>
  names.length > MAX_SHOWN_NAMES + 1
    ? `${names.slice(0, MAX_SHOWN_NAMES).join(', ')} and ${names.length - MAX_SHOWN_NAMES} others`
    : names.join(', ');

/** Returns an integration's description or, if it has none, its provider's name. */
export const getIntegrationTitle = (
  integration: Pick<Integration, 'description' | 'provider'>,
  providers: readonly { name: string; displayName: string }[] = [],
): string =>
  integration.description ||
  (providers.find(({ name }) => name === integration.provider)?.displayName ?? integration.provider);
