import { Address4 } from 'ip-address';
import type { Context } from './context.ts';
import { flexibleRollout, isWithin, type Rollout, randomRollout, rolloutByField } from './rollout.ts';

/**
 * The condition of a strategy apart from its constraints. `satisfied` is null if only the application knows it, because the
 * strategy type is custom or depends on the host.
 */
export type Rule =
  | { kind: 'everyone'; satisfied: true }
  | ({ kind: 'rollout'; satisfied: boolean } & Rollout)
  | { kind: 'list'; satisfied: boolean; contextName: string; actual: string | null; list: string[] }
  | { kind: 'hosts' | 'custom'; satisfied: null };

type Parameters = Record<string, string>;

const rollout = (made: Rollout): Rule => ({ kind: 'rollout', satisfied: isWithin(made), ...made });

const listed = (text: string | undefined): string[] => (text ? text.split(/\s*,\s*/) : []);

const own = (context: Context, field: string): string | undefined => {
  const value = Object.hasOwn(context, field) ? context[field] : undefined;
  return typeof value === 'string' ? value : undefined;
};

function userIds({ userIds: text }: Parameters, context: Context): Rule {
  const list = listed(text);
  const actual = own(context, 'userId');
  const satisfied = actual !== undefined && list.includes(actual);
  return { kind: 'list', satisfied, contextName: 'userId', actual: actual ?? null, list };
}

function addresses({ IPs: text }: Parameters, context: Context): Rule {
  const list = listed(text);
  const actual = own(context, 'remoteAddress');
  const satisfied = list.some(range => range === actual || isInRange(actual ?? '', range));
  return { kind: 'list', satisfied, contextName: 'remoteAddress', actual: actual ?? null, list };
}

/** The strategy remoteAddress supports only IPv4 ranges. */
function isInRange(address: string, range: string): boolean {
  if (!Address4.isValid(address) || !Address4.isValid(range)) return false;
  return new Address4(address).isInSubnet(new Address4(range));
}

/** The condition of a strategy type of Unleash. */
export function ruleOf(name: string, parameters: Parameters, context: Context): Rule {
  switch (name) {
    case 'default':
      return { kind: 'everyone', satisfied: true };
    case 'flexibleRollout':
      return rollout(flexibleRollout(parameters, context));
    case 'gradualRolloutUserId':
      return rollout(rolloutByField(parameters, context, 'userId'));
    case 'gradualRolloutSessionId':
      return rollout(rolloutByField(parameters, context, 'sessionId'));
    case 'gradualRolloutRandom':
      return rollout(randomRollout(parameters));
    case 'userWithId':
      return userIds(parameters, context);
    case 'remoteAddress':
      return addresses(parameters, context);
    case 'applicationHostname':
      return { kind: 'hosts', satisfied: null };
    default:
      return { kind: 'custom', satisfied: null };
  }
}
