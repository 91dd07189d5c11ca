import type { FastifyRequest } from 'fastify';
import type { ErrorName } from '../../../plane/src/platform/errors.ts';
import { ellipsize } from '../../../plane/src/platform/text.ts';
import { logError } from '../platform/http/output/errors.ts';
import { shown } from './shown.ts';

const HINTS: Partial<Record<ErrorName, string>> = {
  BadDataError: 'Correct the arguments and call the tool again.',
  NotFoundError: 'Check the name or id. You may also lack access to its project.',
  NoAccessError: 'Ask the person who created this token. Do not try to reach the same result another way.',
  NameExistsError: 'Use the existing flag, or choose a different name.',
  PreconditionFailedError: 'Call plan_change again, and show the new diff before you apply it.',
  RateLimitError: 'Wait, then call the tool again.',
  ServiceUnavailableError: 'Wait a few seconds, then call the tool again.',
  MaintenanceError: 'Nothing can be changed now. Reading still works.',
};

const RETRYABLE: readonly ErrorName[] = ['RateLimitError', 'ServiceUnavailableError', 'MaintenanceError'];

const MAX_MESSAGE = 1_500;
const MAX_DETAILS = 5;

const asSentence = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`);

/** A tool error as the model reads it: what is wrong, and what to do next. The log has the cause under the same id. */
export async function failureOf(error: unknown, request: FastifyRequest) {
  const { id, rejection } = await logError(error, request);
  const { name, message, details } = rejection;
  const all = details.length > 1 ? details.slice(0, MAX_DETAILS).map(detail => detail.message) : [];
  const failure = shown({
    code: name,
    message: ellipsize([message, ...all].map(asSentence).join(' '), MAX_MESSAGE),
    hint: HINTS[name] ?? 'Tell the user what happened.',
    retryable: RETRYABLE.includes(name),
    id,
  });
  const text = `${failure.code}: ${failure.message} ${failure.hint}`;
  return { isError: true, structuredContent: failure, content: [{ type: 'text' as const, text }] };
}
