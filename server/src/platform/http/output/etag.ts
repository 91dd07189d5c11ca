import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, badData } from '../../../../../plane/src/platform/errors.ts';
import {
  type EntityTag,
  type EntityTags,
  readEntityTags,
} from '../../../../../plane/src/platform/http/output/entity-tag.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The response has an ETag, and the operation checks If-None-Match. */
    etag?: true;
    /** The operation checks If-Match. */
    ifMatch?: true;
  }
}

/** 132 bits of the hash, enough that nobody can find two contents with the same tag. */
const HASH_LENGTH = 22;
const SEPARATOR = '.';

const hashOf = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, HASH_LENGTH);

/**
 * The strong ETag of a response. `content` is the part that people change, and `whole` is the response, if it has more: the favorite
 * of the caller, or the last request of an SDK. If-Match compares the content, If-None-Match compares everything.
 */
export const makeEtag = (content: unknown, whole?: unknown): string =>
  `"${hashOf(content)}${whole === undefined ? '' : SEPARATOR + hashOf(whole)}"`;

const contentOf = (opaque: string): string => opaque.split(SEPARATOR)[0] ?? '';

/** Sends the body with its ETag, or 304 if If-None-Match has that ETag. */
export function unlessKnown<T>(
  { headers }: Pick<FastifyRequest, 'headers'>,
  reply: FastifyReply,
  etag: string,
  body: T,
): T | FastifyReply {
  reply.header('etag', etag);
  const known = headers['if-none-match'];
  if (known === undefined) return body;
  const { any, tags } = parseEtags(known, 'if-none-match');
  return any || tags.some(({ opaque }) => `"${opaque}"` === etag) ? reply.code(304).send() : body;
}

/**
 * Runs work that changes a resource. With If-Match, it first calls `readEtags`, which locks the resource and returns the ETags
 * that name its current state. If none of them is in If-Match, the work is rejected with 412 after it ran, so that the
 * transaction is rolled back: RFC 9110 says that every other rejection takes precedence over 412.
 */
export async function ifMatches<T>(
  { headers }: Pick<FastifyRequest, 'headers'>,
  what: string,
  readEtags: () => Promise<string[]>,
  work: () => Promise<T>,
): Promise<T> {
  const header = headers['if-match'];
  const expected = header === undefined ? undefined : parseEtags(header, 'if-match');
  if (expected === undefined || expected.any) return await work();
  const current = await readEtags();
  const result = await work();
  const contents = new Set(current.map(etag => contentOf(etag.slice(1, -1))));
  const strong = expected.tags.filter(({ isWeak }) => !isWeak);
  if (strong.some(({ opaque }) => contents.has(contentOf(opaque)))) return result;
  throw changedMeanwhile(what, strong);
}

function changedMeanwhile(what: string, strong: EntityTag[]): ApiError {
  const message =
    strong.length === 0
      ? `If-Match has only weak ETags (W/), which never match. Send the ETag of the response unchanged. A proxy that compresses responses can make ETags weak.`
      : `${what} has changed since you read it, so the request was not carried out. Read it again, compare it with your change, and repeat the request with the new ETag.`;
  return new ApiError('PreconditionFailedError', message, {
    details: [{ message, path: '/headers/if-match' }],
  });
}

/** The tags of a header: `*`, or ETags in double quotes, separated by commas. */
function parseEtags(header: string, name: 'if-match' | 'if-none-match'): EntityTags {
  const read = readEntityTags(header);
  if (read.isValid) return read;
  const message = `${name} must be * or a list of ETags in double quotes, separated by commas`;
  throw badData([{ message, path: `/headers/${name}` }]);
}
