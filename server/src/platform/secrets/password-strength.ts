import { badData, type Violation } from '../../../../plane/src/platform/errors.ts';
import { COMMON_WORDS } from './common-words.ts';

export const MIN_PASSWORD_LENGTH = 12;
export const MAX_PASSWORD_LENGTH = 128;

const MIN_DIFFERENT = 6;
/** The number of characters that must remain without common words and sequences. */
const MIN_REST = 6;
const MIN_NAME_LENGTH = 4;

/** The owner of the password. The password must not contain their names. */
export type PasswordPerson = { name?: string | null; username?: string | null; email?: string | null };

const WORDS = new RegExp(COMMON_WORDS.toSorted((a, b) => b.length - a.length).join('|'), 'g');
const LOOK_ALIKES: Record<string, string> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
};
/** Years, and the top row of a keyboard with Shift. */
const SEQUENCES = /(19|20)\d\d|!@#\$%(\^&)?(\*\()?\)?/g;

/** Rejects a short or easily guessed password with all violations. The error never contains the password. */
export function rejectWeakPassword(password: string, person: PasswordPerson = {}): void {
  const details = passwordViolations(password, person);
  if (details.length > 0) throw badData(details);
}

/** Checks length and guessability. There are no rules about character classes, which make passwords predictable. */
export function passwordViolations(password: string, person: PasswordPerson = {}): Violation[] {
  return [...passwordProblems(password, person)].map(problem => ({
    message: `password ${problem}`,
    path: '/body/password',
  }));
}

/** Each violation as the end of a sentence that begins with the name of the password. */
export function* passwordProblems(password: string, person: PasswordPerson): Generator<string> {
  const length = [...password].length;
  if (length < MIN_PASSWORD_LENGTH) yield `must have at least ${MIN_PASSWORD_LENGTH} characters`;
  if (length > MAX_PASSWORD_LENGTH) yield `must have at most ${MAX_PASSWORD_LENGTH} characters`;
  if (length < MIN_PASSWORD_LENGTH || length > MAX_PASSWORD_LENGTH) return;

  const folded = password.normalize('NFKC').toLowerCase();
  if (new Set(folded).size < MIN_DIFFERENT) yield `must have at least ${MIN_DIFFERENT} different characters`;
  if (namesOf(person).some(name => folded.includes(name)))
    yield 'must not contain the name, username or email address of the user';
  if (isGuessable(folded)) yield 'is easy to guess: it consists of common words and sequences';
}

function namesOf({ name, username, email }: PasswordPerson): string[] {
  const parts = [username, email, email?.split('@')[0], ...(name?.split(/\s+/) ?? [])];
  return parts.map(part => (part ?? '').toLowerCase()).filter(part => part.length >= MIN_NAME_LENGTH);
}

/** Also checks with look-alikes read as letters: `p4ssw0rd` is `password`. */
function isGuessable(folded: string): boolean {
  const read = folded.replace(/./gu, char => LOOK_ALIKES[char] ?? char);
  return [folded, read].some(text => rest(text).length < MIN_REST);
}

function rest(text: string): string {
  return withoutRuns(text.replace(WORDS, '').replace(SEQUENCES, ''));
}

/** Removes runs such as `aaa`, `1234`, `dcba`: three or more characters with the same step of -1, 0 or 1. */
function withoutRuns(text: string): string {
  let kept = '';
  for (let at = 0; at < text.length; ) {
    const step = text.charCodeAt(at + 1) - text.charCodeAt(at);
    let end = at + 1;
    while (Math.abs(step) <= 1 && text.charCodeAt(end) - text.charCodeAt(end - 1) === step) end++;
    if (end - at < 3) {
      kept += text[at];
      at++;
    } else at = end;
  }
  return kept;
}
