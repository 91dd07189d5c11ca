import { badData } from '@halyard/plane/platform/errors.ts';
import type { App } from '@halyard/plane/platform/http/app.ts';
import { hasControlCharacter, isInvisible, isStorable } from '@halyard/plane/platform/http/input/text.ts';
import type { Actor } from '../platform/actor.ts';

const HEADER = 'halyard-comment';
/**
 * Percent-encoded, 500 characters take at most 4,500 bytes, because a 3-byte character takes 9. Some proxies accept only 8 KiB of
 * headers.
 */
const MAX_COMMENT_LENGTH = 500;
const MAX_HEADER_LENGTH = 9 * MAX_COMMENT_LENGTH;

/**
 * Reads the reason for a change from a header, so that every write can carry one, including a DELETE without a body, a body that is
 * a list, and a body whose fields Unleash defines. The comment is stored with each event of the request.
 */
export function installComments(app: App): void {
  // Runs after authorization and validation, like the hooks for other write headers.
  app.addHook('preHandler', async request => {
    const text = request.headers[HEADER];
    if (text === undefined || request.method === 'GET' || request.actor === undefined) return;
    request.actor = { ...request.actor, comment: parseComment(String(text)) };
  });
}

function parseComment(header: string): string {
  if (header.length > MAX_HEADER_LENGTH) throw lengthError();
  const comment = decode(header).trim();
  if (isInvisible(comment))
    throw headerError('must not be blank. Omit the header to write without a comment.');
  if (comment.length > MAX_COMMENT_LENGTH) throw lengthError();
  if (hasControlCharacter(comment) || !isStorable(comment))
    throw headerError('must be one line without control characters.');
  return comment;
}

/** Headers are ASCII. Other characters are percent-encoded UTF-8, which every client can write. */
function decode(header: string): string {
  if (/[^\x20-\x7e\t]/.test(header))
    throw headerError('must be ASCII. Percent-encode other characters as UTF-8: ü is %C3%BC.');
  try {
    return decodeURIComponent(header);
  } catch {
    throw headerError('must be percent-encoded UTF-8. Write % itself as %25.');
  }
}

const lengthError = () => headerError(`must have at most ${MAX_COMMENT_LENGTH} characters.`);

const headerError = (problem: string) =>
  badData([{ message: `Halyard-Comment ${problem}`, path: `/headers/${HEADER}` }]);

/**
 * Returns whether the actor could have given a comment but did not. The server itself, which for example changes flag lifecycles,
 * never gives one.
 */
export const lacksComment = ({ comment, kind }: Actor): boolean => comment === undefined && kind !== 'system';

/** Creates the error for a change without a comment in a project that requires one. */
export const commentRequiredError = (project: string) =>
  badData([
    {
      message: `Project "${project}" requires a reason for every change to its flags. Send it in the Halyard-Comment header, for example "Halyard-Comment: Rollback, see INC-1234".`,
      path: `/headers/${HEADER}`,
    },
  ]);

/** How the API document describes the header. */
export const COMMENT_PARAMETER = {
  title: 'Comment',
  type: 'string',
  minLength: 1,
  maxLength: MAX_HEADER_LENGTH,
  description: `Reason for the change, at most ${MAX_COMMENT_LENGTH} characters on one line. It becomes the comment of every event of the request. Percent-encode % and non-ASCII characters as UTF-8.`,
  examples: ['Rollback of the spring sale, see INC-1234'],
};
