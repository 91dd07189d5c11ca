import type { ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Shares } from '../../platform/admission/shares.ts';
import { acceptsGzip } from '../../platform/http/output/accept-encoding.ts';
import type { Scope } from '../state/scope.ts';
import type { EvaluationContext } from './context.ts';
import { currentTag, etagOf, hasTag } from './etag.ts';
import type { Evaluation } from './evaluation.ts';
import type { Evaluator } from './evaluator.ts';

/** Smaller bodies are sent as they are: compressing them costs as much as evaluating the flags. */
const COMPRESSED_FROM_BYTES = 16_384;
/** Responses differ by encoding, and by origin if origins are restricted. */
export const VARY = 'accept-encoding, origin';

const compress = promisify(gzip);

/** How a response is written, so that this module does not depend on HTTP. */
export type Writer = {
  notModified: (etag: string) => void;
  send: (body: Buffer, headers: string[]) => void;
};

type Work = (evaluator: Evaluator, context: EvaluationContext) => Generator<void, Buffer>;

/** Responds with the results for a context, or with 304 if the client has them, where possible without evaluating. */
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
  const presented = headers['if-none-match'];
  const evaluator = await evaluation.of(scope);
  const current = currentTag(presented, evaluator, context);
  if (current !== undefined) return writer.notModified(current);
  const isWanted = () => !reply.raw.destroyed;
  const body = await evaluation.run(caller, work(evaluator, context), evaluator.flags.length, isWanted);
  if (!body) return void reply.hijack();
  const etag = etagOf(evaluator, context, body);
  if (hasTag(presented, etag)) return writer.notModified(etag);
  const isCompressed = body.length >= COMPRESSED_FROM_BYTES && acceptsGzip(headers);
  const sent = isCompressed ? await compress(body, { level: constants.Z_BEST_SPEED }) : body;
  writer.send(sent, [
    'content-type',
    'application/json; charset=utf-8',
    'etag',
    etag,
    'vary',
    VARY,
    ...(isCompressed ? ['content-encoding', 'gzip'] : []),
  ]);
  boundUnread(evaluation.unread, caller, reply.raw, sent.length);
}

/** Results are made for one client, so they stay in memory until it has read them. A caller with too many of them is disconnected. */
function boundUnread(unread: Shares, caller: string, raw: ServerResponse, bytes: number): void {
  // Almost every body fits into the operating system's buffers.
  if (!raw.socket?.writableLength) return;
  const release = unread.tryAcquire(caller, bytes);
  if (release) raw.once('close', release);
  else raw.destroy();
}
