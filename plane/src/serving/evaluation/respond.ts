import type { ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Shares } from '../../platform/admission/shares.ts';
import { acceptsGzip } from '../../platform/http/output/accept-encoding.ts';
import type { Scope } from '../state/scope.ts';
import type { EvaluationContext } from './context.ts';
import { computeEtag, findCurrentTag, hasTag } from './etag.ts';
import type { Evaluation } from './evaluation.ts';
import type { Evaluator } from './evaluator.ts';

/** Smaller bodies are sent as they are, because compressing them costs as much as evaluating the flags. */
const MIN_COMPRESSED_BYTES = 16_384;
/** Responses differ by encoding, and by origin if origins are restricted. */
export const VARY = 'accept-encoding, origin';

const compress = promisify(gzip);

/** Sends the response, and counts it as a response of the frontend API or of OpenFeature. */
export type Writer = {
  notModified: (etag: string) => void;
  send: (body: Buffer, headers: string[]) => void;
};

type Work = (evaluator: Evaluator, context: EvaluationContext) => Generator<void, Buffer>;

/** Responds with the results for a context. If the client already has them, responds with 304, without evaluating if possible. */
export async function respondWithResults(
  evaluation: Evaluation,
  caller: string,
  scope: Scope,
  context: EvaluationContext,
  { headers }: FastifyRequest,
  reply: FastifyReply,
  work: Work,
  writer: Writer,
): Promise<void> {
  const presentedTag = headers['if-none-match'];
  const evaluator = await evaluation.getEvaluator(scope);
  const current = findCurrentTag(presentedTag, evaluator, context);
  if (current !== undefined) return writer.notModified(current);
  const isWanted = () => !reply.raw.destroyed;
  const body = await evaluation.run(caller, work(evaluator, context), evaluator.flags.length, isWanted);
  if (!body) return void reply.hijack();
  const etag = computeEtag(evaluator, context, body);
  if (hasTag(presentedTag, etag)) return writer.notModified(etag);
  const isCompressed = body.length >= MIN_COMPRESSED_BYTES && acceptsGzip(headers);
  const payload = isCompressed ? await compress(body, { level: constants.Z_BEST_SPEED }) : body;
  writer.send(payload, [
    'content-type',
    'application/json; charset=utf-8',
    'etag',
    etag,
    'vary',
    VARY,
    ...(isCompressed ? ['content-encoding', 'gzip'] : []),
  ]);
  limitUnread(evaluation.unread, caller, reply.raw, payload.length);
}

/**
 * Results belong to one client, so they stay in memory until the client has read them. A caller with too many unread results is
 * disconnected.
 */
function limitUnread(unread: Shares, caller: string, raw: ServerResponse, bytes: number): void {
  // Almost every body fits into the operating system's buffers.
  if (!raw.socket?.writableLength) return;
  const release = unread.tryAcquire(caller, bytes);
  if (release) raw.once('close', release);
  else raw.destroy();
}
