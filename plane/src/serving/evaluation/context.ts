import { hash, randomUUID } from 'node:crypto';

/** The fields that SDKs know. All others are properties. */
export const KNOWN_FIELDS = ['appName', 'userId', 'sessionId', 'remoteAddress', 'currentTime'] as const;
type KnownField = (typeof KNOWN_FIELDS)[number];

/** The context of one request, ready for evaluation. */
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
  /** Whether the client sent its own session id or time. */
  hasSession: boolean;
  hasTime: boolean;
  /** Equal for equal contexts, regardless of the order of their fields. */
  hash: string;
};

/** The values of a context, as the client sent them. */
export type RequestContext = {
  knownFields: Partial<Record<KnownField, string>>;
  properties: Record<string, string>;
};

/**
 * Completes a context: the environment comes from the token, and the IP address defaults to the client's. `kind` separates the
 * hashes of responses in different formats.
 */
export function completeContext(
  requestContext: RequestContext,
  environment: string,
  address: string,
  kind = '',
): EvaluationContext {
  const { knownFields, properties } = requestContext;
  const time = new Date(knownFields.currentTime ?? Number.NaN);
  const hasTime = !Number.isNaN(time.getTime());
  const remoteAddress = knownFields.remoteAddress || address;
  const fields = { ...knownFields, remoteAddress, currentTime: hasTime ? time.toISOString() : '' };
  return {
    values: {
      ...(knownFields.appName === undefined ? {} : { appName: knownFields.appName }),
      ...(knownFields.userId === undefined ? {} : { userId: knownFields.userId }),
      environment,
      sessionId: knownFields.sessionId || randomUUID(),
      remoteAddress,
      currentTime: hasTime ? time : new Date(),
      properties,
    },
    hasSession: Boolean(knownFields.sessionId),
    hasTime,
    hash: hash(
      'sha256',
      JSON.stringify([kind, sortEntries(fields), sortEntries(properties)]),
      'base64url',
    ).slice(0, 22),
  };
}

const sortEntries = (fields: Record<string, string>): [string, string][] =>
  Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1));
