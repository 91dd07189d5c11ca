import { createHash } from 'node:crypto';
import { ApiError, badData } from '@halyard/plane/platform/errors.ts';
import {
  type EntityTag,
  type EntityTags,
  readEntityTags,
} from '@halyard/plane/platform/http/output/entity-tag.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set if the response has an ETag and the operation checks If-None-Match. */
    etag?: true;
    /** Set if the operation checks If-Match. */
    ifMatch?: true;
  }
}

/** The hash has 132 bits, so nobody can find two contents with the same tag. */
const HASH_LENGTH = 22;
const SEPARATOR = '.';

const computeHash = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, HASH_LENGTH);

/**
 * Creates the strong ETag of a response. `content` is the part that people change. Pass `whole` if the response contains more,
 * such as the caller's favorites or an SDK's last request. If-Match compares the content, If-None-Match compares everything.
 */
export const makeEtag = (content: unknown, whole?: unknown): string =>
  `"${computeHash(content)}${whole === undefined ? '' : SEPARATOR + computeHash(whole)}"`;

const getContentHash = (opaque: string): string => opaque.split(SEPARATOR)[0] ?? '';

/** Sends the body with its ETag, or 304 if If-None-Match contains that ETag. */
export function sendUnlessNotModified<T>(
  { headers }: Pick<FastifyRequest, 'headers'>,
  reply: FastifyReply,
  etag: string,
  body: T,
): T | FastifyReply {
  reply.header('etag', etag);
  const header = headers['if-none-match'];
  if (header === undefined) return body;
  const { any, tags } = parseEtags(header, 'if-none-match');
  return any || tags.some(({ opaque }) => `"${opaque}"` === etag) ? reply.code(304).send() : body;
}

/**
 * Runs work that changes a resource. With If-Match, it first calls `readEtags`, which locks the resource and returns the ETags of
 * its current state. If If-Match contains none of them, it throws a 412 after the work, which rolls the transaction back. It does
 * not throw earlier because in RFC 9110, every other rejection takes precedence over 412.
 */
export async function runIfMatches<T>(
  { headers }: Pick<FastifyRequest, 'headers'>,
  resourceName: string,
  readEtags: () => Promise<string[]>,
  work: () => Promise<T>,
): Promise<T> {
  const header = headers['if-match'];
  const precondition = header === undefined ? undefined : parseEtags(header, 'if-match');
  if (precondition === undefined || precondition.any) return await work();
  const currentEtags = await readEtags();
  const result = await work();
  const contents = new Set(currentEtags.map(etag => getContentHash(etag.slice(1, -1))));
  const strongTags = precondition.tags.filter(({ isWeak }) => !isWeak);
  if (strongTags.some(({ opaque }) => contents.has(getContentHash(opaque)))) return result;
  throw preconditionFailure(resourceName, strongTags);
}

function preconditionFailure(resourceName: string, strongTags: EntityTag[]): ApiError {
  const message =
    strongTags.length === 0
      ? `If-Match contains only weak ETags (W/), which never match. Send the ETag of the response unchanged. A proxy that compresses responses can make ETags weak.`
      : `${resourceName} has changed since you read it, so the request was not carried out. Read it again, compare it with your change, and repeat the request with the new ETag.`;
  return new ApiError('PreconditionFailedError', message, {
    details: [{ message, path: '/headers/if-match' }],
  });
}

/** Returns the tags of a header, which is `*` or a list of ETags in double quotes, separated by commas. */
function parseEtags(header: string, name: 'if-match' | 'if-none-match'): EntityTags {
  const tags = readEntityTags(header);
  if (tags.isValid) return tags;
  const message = `${name} must be * or a list of at most 20 ETags in double quotes, separated by commas`;
  throw badData([{ message, path: `/headers/${name}` }]);
}
