import { createHash, createHmac, randomUUID } from 'node:crypto';
import { ApiError, badData, tooManyRequests } from '@halyard/plane/platform/errors.ts';
import type { App } from '@halyard/plane/platform/http/app.ts';
import { readToken } from '@halyard/plane/platform/token.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Claim, isAccount } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { MAX_KEYS, MAX_STORED_BODY_BYTES } from './limits.ts';
import {
  type Caller,
  findKey,
  insertClaim,
  type KnownKey,
  releaseClaim,
  storeResponse,
  takeOver,
} from './store.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The response contains a secret, so it is not stored. */
    returnsSecret?: true;
    /** The operation only reads, so a retry runs again with the current permissions, and nothing is stored. */
    onlyReads?: true;
  }
}

const MAX_KEY_LENGTH = 255;
const RATE_LIMITED = 429;
const WRITES = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/**
 * Ensures that a write with an Idempotency-Key runs only once, and that a retry gets the first response. The key is claimed before
 * the request runs and settled in the transaction of its change, and the response is stored afterwards. So neither two servers nor
 * a crash can make the write run twice (docs/reference/idempotency.md).
 */
export function installIdempotency(app: App, db: Db): void {
  // Runs after authorization and validation, so a rejected request does not use up its key, and its response is not stored.
  app.addHook('preHandler', async (request, reply) => {
    const text = request.headers['idempotency-key'];
    if (!WRITES.has(request.method) || text === undefined || request.actor === undefined) return;
    if (request.routeOptions.config.onlyReads) return;
    const key = String(text);
    if (key.length === 0 || key.length > MAX_KEY_LENGTH) {
      const message = `Idempotency-Key must have 1 to ${MAX_KEY_LENGTH} characters`;
      throw badData([{ message, path: '/headers/idempotency-key' }]);
    }
    const claim = { key: hashFor(request, key), run: randomUUID() };
    const hash = hashFor(request, JSON.stringify([request.method, request.url, request.body ?? null]));
    const knownKey = await claimOrFind(db, claim, hash, identifyCaller(request));
    if (knownKey) return replay(reply, knownKey, hash);
    request.actor = { ...request.actor, claim };
  });

  app.addHook('onSend', async (request, reply, payload) => {
    const claim = request.actor?.claim;
    if (claim === undefined) return payload;
    try {
      await storeOrRelease(db, claim, identifyCaller(request), reply, payload);
    } catch (error) {
      // The response itself is correct, so it is still sent. A retry gets 409, because no response is stored.
      request.log.warn({ err: error }, 'idempotent response not stored');
    }
    return payload;
  });
}

/**
 * Hashes keys and requests with the token of the caller, so that readers of the table cannot guess them. A user with a session
 * has no token, so the account takes its place.
 */
function hashFor(request: FastifyRequest, text: string): Buffer {
  return createHmac('sha256', readToken(request.headers) ?? accountKey(request))
    .update(text)
    .digest();
}

const accountKey = ({ actor }: FastifyRequest): string => `${actor.kind} ${actor.userId}`;

/**
 * Identifies the caller. The tokens and sessions of an account are one caller. Admin tokens have no account, so each is a separate
 * caller.
 */
function identifyCaller(request: FastifyRequest): Caller {
  const { actor } = request;
  const name = isAccount(actor) ? accountKey(request) : (readToken(request.headers) ?? accountKey(request));
  return { actor, owner: createHash('sha256').update(name).digest() };
}

/** Claims the key and returns undefined, or returns the known key. */
async function claimOrFind(
  db: Db,
  claim: Claim,
  request: Buffer,
  caller: Caller,
): Promise<KnownKey | undefined> {
  const usage = await insertClaim(db, claim, request, caller);
  if (usage && usage.keys > MAX_KEYS) {
    await releaseClaim(db, claim);
    throw tooManyRequests(
      `You have used ${MAX_KEYS} idempotency keys within 24 hours, which is the maximum. Send the request without a key, or wait.`,
      usage.secondsLeft,
    );
  }
  if (usage) return undefined;
  const knownKey = await findKey(db, claim.key, caller.actor);
  // The key was removed between the two statements, so its request was running until a moment ago.
  if (!knownKey) throw stillRunningError();
  if (knownKey.isOver && (await takeOver(db, claim, request, caller.actor, knownKey.run))) return undefined;
  return knownKey;
}

function replay(reply: FastifyReply, knownKey: KnownKey, request: Buffer): FastifyReply {
  if (!knownKey.request.equals(request)) {
    throw new ApiError(
      'IdempotencyError',
      'This Idempotency-Key was already used with a different request. Use a new key.',
    );
  }
  if (knownKey.status !== null && !knownKey.isPermitted) {
    throw new ApiError(
      'AlreadyCarriedOutError',
      'The request with this Idempotency-Key succeeded. Its response is not replayed, because your permissions have changed.',
    );
  }
  if (knownKey.status !== null) {
    reply.code(knownKey.status).header('idempotent-replayed', 'true');
    if (knownKey.body === null) return reply.send();
    return reply.type('application/json; charset=utf-8').send(knownKey.body);
  }
  if (!knownKey.isSettled) throw stillRunningError();
  throw new ApiError(
    'AlreadyCarriedOutError',
    'The request with this Idempotency-Key succeeded, but its response is not stored. Read the resource to see the result.',
  );
}

const stillRunningError = (): ApiError =>
  new ApiError(
    'ConflictError',
    'A request with this Idempotency-Key is still running. Retry in a few seconds.',
    { retryAfter: 1 },
  );

/**
 * Stores the response for retries. If the request failed with a server error or a rate limit, or if the response is too large or
 * exceeds the caller's storage, the key is released instead, unless the change was committed. A response with a secret is never
 * stored, so a retry learns only that the request succeeded.
 */
async function storeOrRelease(
  db: Db,
  claim: Claim,
  caller: Caller,
  reply: FastifyReply,
  payload: unknown,
): Promise<void> {
  const { statusCode } = reply;
  if (statusCode >= 500 || statusCode === RATE_LIMITED) return await releaseClaim(db, claim);
  const hasSecret = reply.routeOptions.config.returnsSecret === true && statusCode < 400;
  const body = payload === null || payload === undefined || payload === '' ? null : payload;
  if (hasSecret || !(body === null || typeof body === 'string')) return;
  const isStored =
    (body === null || Buffer.byteLength(body) <= MAX_STORED_BODY_BYTES) &&
    (await storeResponse(db, claim, caller, { status: statusCode, body }));
  if (!isStored) await releaseClaim(db, claim);
}
