import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError, badData } from '../../platform/errors.ts';
import { contentType } from '../../platform/http/errors.ts';
import { boundsViolation } from '../../platform/http/json.ts';

/** Metrics of 10,000 features have 600 KB. An SDK stops sending metrics for good after one 413. */
export const BODY_LIMIT_BYTES = 1_048_576;
/** A compressed body may have this many times the limit of its route. */
const INFLATED_TIMES = 4;
/** Metrics of 33,000 features. JSON.parse takes up to 80 ms of CPU for as many items with different names. */
const MAX_ITEMS = 100_000;

/** Above this size the event loop gets a turn between the steps. */
const LARGE = 262_144;

const inflate = promisify(gunzip);

/** Reads JSON, compressed or not. A body without a content type is taken for JSON. */
export function installSdkBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    '*',
    { parseAs: 'buffer', bodyLimit: BODY_LIMIT_BYTES },
    async ({ headers, routeOptions }: FastifyRequest, body: Buffer) => {
      const type = headers['content-type'] ?? 'application/json';
      if (!/\bjson\b/i.test(type)) throw contentType();
      const most = INFLATED_TIMES * (routeOptions.bodyLimit ?? BODY_LIMIT_BYTES);
      return await parse(await plain(body, headers['content-encoding'] ?? 'identity', most));
    },
  );
}

async function plain(body: Buffer, encoding: string, mostBytes: number): Promise<Buffer> {
  const name = encoding.trim().toLowerCase();
  if (name === 'identity') return body;
  if (name !== 'gzip') {
    throw new ApiError(
      'ContentTypeerror',
      `The Content-Encoding "${encoding.slice(0, 50)}" is not supported. Use gzip, or send the body as it is.`,
    );
  }
  return await inflate(body, { maxOutputLength: mostBytes }).catch(error => {
    if (error.code === 'ERR_BUFFER_TOO_LARGE') {
      const most = mostBytes.toLocaleString('en');
      throw new ApiError('PayloadTooLargeError', `The body has more than ${most} bytes when decompressed.`);
    }
    throw badData([{ message: 'The body is not valid gzip.' }]);
  });
}

async function parse(body: Buffer): Promise<unknown> {
  const json = body.toString();
  const pause = () => (json.length > LARGE ? setImmediate() : undefined);
  // Parsing millions of nested lists blocks the server for seconds.
  const unbounded = boundsViolation(json, MAX_ITEMS);
  if (unbounded !== undefined) throw badData([{ message: unbounded }]);
  await pause();
  const value = parsed(json);
  await pause();
  return value;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw badData([{ message: 'The body is not valid JSON.' }]);
  }
}

/** The body as an object. SDKs send nothing else. */
export function objectOf(body: unknown): Record<string, unknown> {
  if (typeof body === 'object' && body !== null && !Array.isArray(body))
    return body as Record<string, unknown>;
  throw badData([{ message: 'The body must be a JSON object.', path: '/body' }]);
}
