import { createHmac, randomUUID } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Claim } from '../actor.ts';
import type { Db } from '../db/database.ts';
import { ApiError, badData } from '../errors.ts';
import type { App } from '../http/app.ts';
import { deleteClaim, findKey, insertClaim, type KnownKey, storeAnswer, takeOver } from './store.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The answer shows a secret, which must be stored nowhere. */
    answersSecret?: true;
  }
}

const MAX_KEY_LENGTH = 255;
const RATE_LIMITED = 429;

/**
 * A POST with an Idempotency-Key is carried out once: its repetition gets the first answer. The key is claimed before the
 * request runs, settled in the transaction of its change, and answered for afterwards, so that neither two servers nor a
 * crash at any point can make it run twice (docs/reference/idempotency.md).
 */
export function installIdempotency(app: App, db: Db): void {
  // After the body is checked: what is refused before needs no key, and whoever may not ask gets no answer of another's.
  app.addHook('preHandler', async (request, reply) => {
    const text = request.headers['idempotency-key'];
    if (request.method !== 'POST' || text === undefined || request.actor === undefined) return;
    const key = String(text);
    if (key.length === 0 || key.length > MAX_KEY_LENGTH) {
      const message = `Idempotency-Key must have 1 to ${MAX_KEY_LENGTH} characters`;
      throw badData([{ message, path: '/headers/idempotency-key' }]);
    }
    const claim = { key: hashFor(request, key), run: randomUUID() };
    const hash = hashFor(request, JSON.stringify([request.method, request.url, request.body ?? null]));
    const known = await claimOrFind(db, claim, hash);
    if (known) return replay(reply, known, hash);
    request.actor = { ...request.actor, claim };
  });

  app.addHook('onSend', async (request, reply, payload) => {
    const claim = request.actor?.claim;
    if (claim === undefined) return payload;
    try {
      await conclude(db, claim, reply, payload);
    } catch (error) {
      // The answer is right all the same; a repetition will be told that there is none to repeat.
      request.log.warn({ err: error }, 'answer for an idempotency key was not stored');
    }
    return payload;
  });
}

/**
 * Keys belong to a token. Under it as the key of an HMAC the table tells neither keys nor requests to who reads it, not even
 * by guessing. Without a token the caller is a user with a session.
 */
function hashFor({ headers, actor }: FastifyRequest, text: string): Buffer {
  const token = headers.authorization?.replace(/^bearer /i, '').trim();
  return createHmac('sha256', token ?? `${actor.kind} ${actor.userId}`)
    .update(text)
    .digest();
}

/** Undefined if the claim is made; otherwise what is known of the key. */
async function claimOrFind(db: Db, claim: Claim, request: Buffer): Promise<KnownKey | undefined> {
  if (await insertClaim(db, claim, request)) return undefined;
  const known = await findKey(db, claim.key);
  // Removed between the two statements: that is as good as running.
  if (!known) throw stillRunning();
  if (known.over && (await takeOver(db, claim, request, known.run))) return undefined;
  return known;
}

function replay(reply: FastifyReply, known: KnownKey, request: Buffer): FastifyReply {
  if (!known.request.equals(request)) {
    throw new ApiError(
      'IdempotencyError',
      'This Idempotency-Key belongs to another request. Take a new key.',
    );
  }
  if (known.status !== null) {
    reply.code(known.status).header('idempotent-replayed', 'true');
    if (known.body === null) return reply.send();
    return reply.type('application/json; charset=utf-8').send(known.body);
  }
  if (!known.settled) {
    reply.header('retry-after', '1');
    throw stillRunning();
  }
  throw new ApiError(
    'ConflictError',
    'The request with this Idempotency-Key was carried out, and its answer is not kept. Look at what it made.',
  );
}

const stillRunning = (): ApiError =>
  new ApiError('ConflictError', 'A request with this Idempotency-Key is still running. Try again shortly.');

/** Keeps an answer that can be repeated. What failed on our side may be tried again, unless it was carried out. */
async function conclude(db: Db, claim: Claim, reply: FastifyReply, payload: unknown): Promise<void> {
  const { statusCode } = reply;
  if (statusCode >= 500 || statusCode === RATE_LIMITED) return await deleteClaim(db, claim);
  const secret = reply.routeOptions.config.answersSecret === true && statusCode < 400;
  const known = payload === null || payload === undefined || payload === '';
  if (secret || !(known || typeof payload === 'string')) return;
  await storeAnswer(db, claim, statusCode, known ? null : String(payload));
}
