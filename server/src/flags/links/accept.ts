import { badData } from '../../platform/errors.ts';
import type { LinkInput } from './schema.ts';

/** The link as it may be stored, or a refusal. A title of blanks is none. */
export function acceptLink({ url, title }: LinkInput, path: string): { url: string; title: string | null } {
  const mistake = urlMistake(url);
  if (mistake !== undefined) throw badData([{ message: mistake, path: `${path}/url` }]);
  return { url, title: title?.trim() || null };
}

export function urlMistake(url: string): string | undefined {
  // A page shows the link to be clicked: what a browser would run, such as javascript:, must not get in.
  if (!/^https?:\/\/\S+$/i.test(url) || !URL.canParse(url))
    return 'url must be an address that begins with http:// or https:// and holds no blanks';
  const { username, password } = new URL(url);
  // It would stand in the record for ever.
  if (username !== '' || password !== '') return 'url must not hold a user name or a password';
  return undefined;
}
