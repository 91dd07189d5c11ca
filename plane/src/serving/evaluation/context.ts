import { hash, randomUUID } from 'node:crypto';

/** The fields that SDKs know. All others are properties. */
export const KNOWN_FIELDS = ['appName', 'userId', 'sessionId', 'remoteAddress', 'currentTime'] as const;
type KnownField = (typeof KNOWN_FIELDS)[number];

/** The context of one request, ready to be evaluated. */
export type EvaluationContext = {
  values: {
    appName?: string;
    environment: string;
    userId?: string;
    sessionId: string;
    remoteAddress: string;
    currentTime: Date;
    properties: Record<string, string>;
  };
  /** Whether the client sent its session id and its time. */
  hasSession: boolean;
  hasTime: boolean;
  /** Equal for equal contexts, whatever the order of their fields. */
  hash: string;
};

/** The values of a context as a client sent them. */
export type GivenContext = { known: Partial<Record<KnownField, string>>; properties: Record<string, string> };

/**
 * Completes a context: the environment is that of the token, and the IP address is by default that of the client. `kind`
 * separates the hashes of responses that have a different form.
 */
export function completeContext(
  given: GivenContext,
  environment: string,
  address: string,
  kind = '',
): EvaluationContext {
  const { known, properties } = given;
  const time = new Date(known.currentTime ?? Number.NaN);
  const hasTime = !Number.isNaN(time.getTime());
  const remoteAddress = known.remoteAddress || address;
  const fields = { ...known, remoteAddress, currentTime: hasTime ? time.toISOString() : '' };
  return {
    values: {
      ...(known.appName === undefined ? {} : { appName: known.appName }),
      ...(known.userId === undefined ? {} : { userId: known.userId }),
      environment,
      sessionId: known.sessionId || randomUUID(),
      remoteAddress,
      currentTime: hasTime ? time : new Date(),
      properties,
    },
    hasSession: Boolean(known.sessionId),
    hasTime,
    hash: hash('sha256', JSON.stringify([kind, sorted(fields), sorted(properties)]), 'base64url').slice(
      0,
      22,
    ),
  };
}

const sorted = (fields: Record<string, string>): [string, string][] =>
  Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1));
