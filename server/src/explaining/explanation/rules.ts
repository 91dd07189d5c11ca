import { Address4 } from 'ip-address';
import type { Context } from './context.ts';
import {
  evaluateFlexibleRollout,
  evaluateRandomRollout,
  evaluateRolloutByField,
  isWithin,
  type Rollout,
} from './rollout.ts';

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

const toRolloutRule = (rollout: Rollout): Rule => ({
  kind: 'rollout',
  satisfied: isWithin(rollout),
  ...rollout,
});

const splitList = (text: string | undefined): string[] => (text ? text.split(/\s*,\s*/) : []);

const readOwnString = (context: Context, field: string): string | undefined => {
  const value = Object.hasOwn(context, field) ? context[field] : undefined;
  return typeof value === 'string' ? value : undefined;
};

function evaluateUserIdRule({ userIds: text }: Parameters, context: Context): Rule {
  const list = splitList(text);
  const actual = readOwnString(context, 'userId');
  const satisfied = actual !== undefined && list.includes(actual);
  return { kind: 'list', satisfied, contextName: 'userId', actual: actual ?? null, list };
}

function evaluateAddressRule({ IPs: text }: Parameters, context: Context): Rule {
  const list = splitList(text);
  const actual = readOwnString(context, 'remoteAddress');
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
      return toRolloutRule(evaluateFlexibleRollout(parameters, context));
    case 'gradualRolloutUserId':
      return toRolloutRule(evaluateRolloutByField(parameters, context, 'userId'));
    case 'gradualRolloutSessionId':
      return toRolloutRule(evaluateRolloutByField(parameters, context, 'sessionId'));
    case 'gradualRolloutRandom':
      return toRolloutRule(evaluateRandomRollout(parameters));
    case 'userWithId':
      return evaluateUserIdRule(parameters, context);
    case 'remoteAddress':
      return evaluateAddressRule(parameters, context);
    case 'applicationHostname':
      return { kind: 'hosts', satisfied: null };
    default:
      return { kind: 'custom', satisfied: null };
  }
}
