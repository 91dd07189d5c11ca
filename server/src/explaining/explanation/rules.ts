import { Address4 } from 'ip-address';
import type { Context } from './context.ts';
import { flexibleRollout, isWithin, type Rollout, randomRollout, rolloutByField } from './rollout.ts';

/**
 * A strategy's condition, apart from its constraints. `satisfied` is null if only the application knows it, because the strategy
 * type is custom or depends on the host.
 */
export type Rule =
  | { kind: 'everyone'; satisfied: true }
  | ({ kind: 'rollout'; satisfied: boolean } & Rollout)
  | { kind: 'list'; satisfied: boolean; contextName: string; actual: string | null; list: string[] }
  | { kind: 'hosts' | 'custom'; satisfied: null };

type Parameters = Record<string, string>;

const rolloutRule = (rollout: Rollout): Rule => ({
  kind: 'rollout',
  satisfied: isWithin(rollout),
  ...rollout,
});

const splitList = (text: string | undefined): string[] => (text ? text.split(/\s*,\s*/) : []);

const ownString = (context: Context, field: string): string | undefined => {
  const value = Object.hasOwn(context, field) ? context[field] : undefined;
  return typeof value === 'string' ? value : undefined;
};

function userIdRule({ userIds: text }: Parameters, context: Context): Rule {
  const list = splitList(text);
  const actual = ownString(context, 'userId');
  const satisfied = actual !== undefined && list.includes(actual);
  return { kind: 'list', satisfied, contextName: 'userId', actual: actual ?? null, list };
}

function addressRule({ IPs: text }: Parameters, context: Context): Rule {
  const list = splitList(text);
  const actual = ownString(context, 'remoteAddress');
  const satisfied = list.some(range => range === actual || isInRange(actual ?? '', range));
  return { kind: 'list', satisfied, contextName: 'remoteAddress', actual: actual ?? null, list };
}

/** Returns whether the address is in the range. The strategy remoteAddress supports only IPv4 ranges. */
function isInRange(address: string, range: string): boolean {
  if (!Address4.isValid(address) || !Address4.isValid(range)) return false;
  return new Address4(address).isInSubnet(new Address4(range));
}

/** Evaluates the condition of one of Unleash's strategy types. */
export function evaluateRule(name: string, parameters: Parameters, context: Context): Rule {
  switch (name) {
    case 'default':
      return { kind: 'everyone', satisfied: true };
    case 'flexibleRollout':
      return rolloutRule(flexibleRollout(parameters, context));
    case 'gradualRolloutUserId':
      return rolloutRule(rolloutByField(parameters, context, 'userId'));
    case 'gradualRolloutSessionId':
      return rolloutRule(rolloutByField(parameters, context, 'sessionId'));
    case 'gradualRolloutRandom':
      return rolloutRule(randomRollout(parameters));
    case 'userWithId':
      return userIdRule(parameters, context);
    case 'remoteAddress':
      return addressRule(parameters, context);
    case 'applicationHostname':
      return { kind: 'hosts', satisfied: null };
    default:
      return { kind: 'custom', satisfied: null };
  }
}
