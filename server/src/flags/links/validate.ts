import { badData } from '@halyard/plane/platform/errors.ts';
import type { LinkInput } from './schema.ts';

/** Validates a link. A title that contains only whitespace becomes null. */
export function validateLink({ url, title }: LinkInput, path: string): { url: string; title: string | null } {
  const violation = findUrlViolation(url);
  if (violation !== undefined) throw badData([{ message: violation, path: `${path}/url` }]);
  return { url, title: title?.trim() || null };
}

export function findUrlViolation(url: string): string | undefined {
  // Users click these links, so a URL that a browser would run, such as javascript:, is rejected.
  if (!/^https?:\/\/\S+$/i.test(url) || !URL.canParse(url))
    return 'url must start with http:// or https:// and contain no whitespace';
  const { username, password } = new URL(url);
  // Events keep the URL forever, so it must not contain credentials.
  if (username !== '' || password !== '') return 'url must not contain a username or a password';
  return undefined;
}
