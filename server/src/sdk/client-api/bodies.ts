import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { ApiError, badData } from '../../platform/errors.ts';
import { contentType } from '../../platform/http/errors.ts';

/** Metrics of 10,000 features have 600 KB. An SDK stops sending metrics for good after one 413. */
export const BODY_LIMIT_BYTES = 1_048_576;
const INFLATED_LIMIT_BYTES = 4 * BODY_LIMIT_BYTES;

const inflate = promisify(gunzip);

/** Reads JSON, compressed or not. A body without a content type is taken for JSON. */
export function installSdkBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    '*',
    { parseAs: 'buffer', bodyLimit: BODY_LIMIT_BYTES },
    async (request: { headers: Record<string, string | string[] | undefined> }, body: Buffer) => {
      const type = String(request.headers['content-type'] ?? 'application/json');
      if (!/\bjson\b/i.test(type)) throw contentType();
      return parse(await plain(body, String(request.headers['content-encoding'] ?? 'identity')));
    },
  );
}

async function plain(body: Buffer, encoding: string): Promise<Buffer> {
  if (encoding === 'identity') return body;
  if (encoding !== 'gzip') {
    throw badData([
      { message: `The content encoding "${encoding.slice(0, 50)}" is not supported. Use gzip.` },
    ]);
  }
  return await inflate(body, { maxOutputLength: INFLATED_LIMIT_BYTES }).catch(error => {
    if (error.code === 'ERR_BUFFER_TOO_LARGE') {
      const most = INFLATED_LIMIT_BYTES.toLocaleString('en');
      throw new ApiError('PayloadTooLargeError', `The body has more than ${most} bytes when decompressed.`);
    }
    throw badData([{ message: 'The body is not valid gzip.' }]);
  });
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
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
