import type { ErrorName } from '@halyard/plane/platform/errors.ts';
import { ellipsize } from '@halyard/plane/platform/text.ts';
import type { FastifyRequest } from 'fastify';
import { logError } from '../platform/http/output/errors.ts';
import { sanitize } from './sanitize.ts';

const HINTS: Partial<Record<ErrorName, string>> = {
  BadDataError: 'Correct the arguments and call the tool again.',
  NotFoundError: 'Check the name or id. You may also lack access to its project.',
  NoAccessError: 'Ask the person who created this token. Do not try to reach the same result another way.',
  NameExistsError: 'Use the existing flag, or choose a different name.',
  PreconditionFailedError: 'Show the new diff before you apply it.',
  RateLimitError: 'Wait, then call the tool again.',
  ServiceUnavailableError: 'Wait a few seconds, then call the tool again.',
  MaintenanceError: 'Nothing can be changed in maintenance mode. Reading still works.',
};

const RETRYABLE: readonly ErrorName[] = ['RateLimitError', 'ServiceUnavailableError', 'MaintenanceError'];

const MAX_MESSAGE_LENGTH = 1_500;
const MAX_DETAILS = 5;

const asSentence = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`);

/** Returns a tool error as the model reads it: what is wrong, and what to do next. The log has the cause under the same id. */
export async function toToolError(error: unknown, request: FastifyRequest) {
  const { id, rejection } = await logError(error, request);
  const { name, message, details, retryAfter } = rejection;
  const detailMessages =
    details.length > 1 ? details.slice(0, MAX_DETAILS).map(detail => detail.message) : [];
  const failure = sanitize({
    code: name,
    message: ellipsize([message, ...detailMessages].map(asSentence).join(' '), MAX_MESSAGE_LENGTH),
    hint: HINTS[name] ?? 'Tell the user what happened.',
    retryable: RETRYABLE.includes(name),
    ...(retryAfter !== undefined && { retryAfterSeconds: retryAfter }),
    id,
  });
  const text = `${failure.code}: ${failure.message} ${failure.hint}`;
  return { isError: true, structuredContent: failure, content: [{ type: 'text' as const, text }] };
}
