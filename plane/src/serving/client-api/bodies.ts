import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import {
  errorCodes,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type RouteOptions,
} from 'fastify';
import type { Shares } from '../../platform/admission/shares.ts';
import { makeTurns, type RunInTurn } from '../../platform/admission/turns.ts';
import { ApiError, badData } from '../../platform/errors.ts';
import { findBoundsViolation } from '../../platform/http/input/json.ts';
import { contentTypeError } from '../../platform/http/output/error-body.ts';
import { getCaller } from '../caller.ts';

/** Metrics of 10,000 features take 600 KB. After a single 413, an SDK permanently stops sending metrics. */
export const BODY_LIMIT_BYTES = 1_048_576;
/** Any visitor to a page can send these bodies, and a page reports only the few features evaluated in a minute. */
export const PUBLIC_BODY_LIMIT_BYTES = 65_536;
/**
 * Enough for the metrics of 33,000 features. JSON.parse takes up to 80 ms of CPU time for this many items with different names.
 */
const MAX_ITEMS = 100_000;

/** A larger body is parsed in a separate turn of the event loop. */
const LARGE_BODY_CHARACTERS = 262_144;

const inflate = promisify(gunzip);

/**
 * Reads JSON, compressed or not. A body without a content type is assumed to be JSON. Before reading a body, reserves the
 * bytes it can take in memory for its caller, and releases them once the request is handled.
 */
export function installSdkBodies(app: FastifyInstance, bytes: Shares): void {
  const runInTurn = makeTurns();
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', async (_request: FastifyRequest, payload: Readable) => payload);
  app.addHook('onRoute', route => {
    if (route.method !== 'POST') return;
    route.bodyLimit ??= BODY_LIMIT_BYTES;
    const { handler } = route;
    route.handler = async function (request, reply) {
      if (!(request.body instanceof Readable)) return await handler.call(this, request, reply);
      const payload = request.body;
      request.body = undefined;
      const body = readBodyKind(request, route);
      const caller = getCaller(request.sdkToken, request.ip);
      const release = await bytes.acquire(caller, { cost: body.cost, isGone: () => isGone(reply) });
      try {
        const json = (await decompress(await readPayload(payload, body.limit), body)).toString();
        request.body =
          json.length > LARGE_BODY_CHARACTERS ? await parseLarge(runInTurn, caller, json) : parse(json);
        return await handler.call(this, request, reply);
      } finally {
        release();
      }
    };
  });
}

const isGone = ({ raw }: FastifyReply): boolean => raw.destroyed;

type BodyKind = {
  isCompressed: boolean;
  limit: number;
  /** Bytes that the body can take in memory, compressed and inflated. */
  cost: number;
};

/** Reads the headers that describe the body, and rejects an unacceptable body before reading it. */
function readBodyKind(
  { headers }: FastifyRequest,
  { bodyLimit: limit = BODY_LIMIT_BYTES }: RouteOptions,
): BodyKind {
  if (!/\bjson\b/i.test(headers['content-type'] ?? 'application/json')) throw contentTypeError();
  const encoding = headers['content-encoding'] ?? 'identity';
  const name = encoding.trim().toLowerCase();
  if (name !== 'identity' && name !== 'gzip') {
    throw new ApiError(
      'ContentTypeerror',
      `The Content-Encoding "${encoding.slice(0, 50)}" is not supported. Use gzip, or send the body as it is.`,
    );
  }
  const length = Number(headers['content-length'] ?? limit);
  if (length > limit) throw new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE();
  const isCompressed = name === 'gzip';
  return { isCompressed, limit, cost: length + (isCompressed ? limit : 0) };
}

async function readPayload(payload: Readable, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    // The connection stays open for the response, even if the rest of the body is not read.
    for await (const chunk of payload.iterator({ destroyOnReturn: false })) {
      length += chunk.length;
      if (length > limit) throw new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE();
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ECONNRESET')
      throw badData([{ message: 'The connection was closed before the whole body arrived.' }]);
    throw error;
  }
  return Buffer.concat(chunks, length);
}

async function decompress(body: Buffer, { isCompressed, limit }: BodyKind): Promise<Buffer> {
  if (!isCompressed) return body;
  return await inflate(body, { maxOutputLength: limit }).catch(error => {
    if (error.code === 'ERR_BUFFER_TOO_LARGE') {
      const allowed = limit.toLocaleString('en');
      throw new ApiError(
        'PayloadTooLargeError',
        `The body has more than ${allowed} bytes when decompressed.`,
      );
    }
    throw badData([{ message: 'The body is not valid gzip.' }]);
  });
}

/** Parsing millions of nested lists would block the server for seconds. */
function checkBounds(json: string): void {
  const violation = findBoundsViolation(json, MAX_ITEMS);
  if (violation !== undefined) throw badData([{ message: violation }]);
}

function parse(json: string): unknown {
  checkBounds(json);
  return parseJson(json);
}

async function parseLarge(runInTurn: RunInTurn, caller: string, json: string): Promise<unknown> {
  await runInTurn(caller, () => checkBounds(json));
  return await runInTurn(caller, () => parseJson(json));
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw badData([{ message: 'The body is not valid JSON.' }]);
  }
}

/** Returns the body if it is an object, and throws otherwise, because SDKs send nothing else. */
export function requireObject(body: unknown): Record<string, unknown> {
  if (typeof body === 'object' && body !== null && !Array.isArray(body))
    return body as Record<string, unknown>;
  throw badData([{ message: 'The body must be a JSON object.', path: '/body' }]);
}
