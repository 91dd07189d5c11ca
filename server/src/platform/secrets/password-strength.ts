import { badData, type Violation } from '@halyard/plane/platform/errors.ts';
import { COMMON_WORDS } from './common-words.ts';

export const MIN_PASSWORD_LENGTH = 12;
export const MAX_PASSWORD_LENGTH = 128;

const MIN_DIFFERENT_CHARACTERS = 6;
/** How many characters must remain after common words and sequences are removed. */
const MIN_REMAINING_CHARACTERS = 6;
const MIN_NAME_LENGTH = 4;

/** The owner of the password, whose names the password must not contain. */
export type PasswordContext = { name?: string | null; username?: string | null; email?: string | null };

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
/** Sequences to remove: years, and the number row of a keyboard typed with Shift. */
const SEQUENCES = /(19|20)\d\d|!@#\$%(\^&)?(\*\()?\)?/g;

/** Rejects a short or easily guessed password with all violations. The error never contains the password. */
export function rejectWeakPassword(password: string, person: PasswordContext = {}): void {
  const details = findPasswordViolations(password, person);
  if (details.length > 0) throw badData(details);
}

/** Checks length and guessability. There are no rules about character classes, because such rules make passwords predictable. */
export function findPasswordViolations(password: string, person: PasswordContext = {}): Violation[] {
  return [...findPasswordProblems(password, person)].map(problem => ({
    message: `password ${problem}`,
    path: '/body/password',
  }));
}

/** Yields each violation as the end of a sentence whose subject is the password. */
export function* findPasswordProblems(password: string, person: PasswordContext): Generator<string> {
  const length = [...password].length;
  if (length < MIN_PASSWORD_LENGTH) yield `must have at least ${MIN_PASSWORD_LENGTH} characters`;
  if (length > MAX_PASSWORD_LENGTH) yield `must have at most ${MAX_PASSWORD_LENGTH} characters`;
  if (length < MIN_PASSWORD_LENGTH || length > MAX_PASSWORD_LENGTH) return;

  const foldedPassword = password.normalize('NFKC').toLowerCase();
  if (new Set(foldedPassword).size < MIN_DIFFERENT_CHARACTERS)
    yield `must have at least ${MIN_DIFFERENT_CHARACTERS} different characters`;
  if (listOwnNames(person).some(name => foldedPassword.includes(name)))
    yield 'must not contain the name, username or email address of the user';
  if (isGuessable(foldedPassword)) yield 'is easy to guess: it consists of common words and sequences';
}

function listOwnNames({ name, username, email }: PasswordContext): string[] {
  const parts = [username, email, email?.split('@')[0], ...(name?.split(/\s+/) ?? [])];
  return parts.map(part => (part ?? '').toLowerCase()).filter(part => part.length >= MIN_NAME_LENGTH);
}

/**
 * Returns whether the password consists of common words and sequences, either as it is or with look-alikes read as letters, so that
 * `p4ssw0rd` counts as `password`.
 */
function isGuessable(foldedPassword: string): boolean {
  const letters = foldedPassword.replace(/./gu, char => LOOK_ALIKES[char] ?? char);
  return [foldedPassword, letters].some(text => removeGuessable(text).length < MIN_REMAINING_CHARACTERS);
}

function removeGuessable(text: string): string {
  return removeRuns(text.replace(WORDS, '').replace(SEQUENCES, ''));
}

/** Removes runs such as `aaa`, `1234` and `dcba`, which are three or more characters with the same step of -1, 0 or 1. */
function removeRuns(text: string): string {
  let remaining = '';
  for (let start = 0; start < text.length; ) {
    const step = text.charCodeAt(start + 1) - text.charCodeAt(start);
    let end = start + 1;
    while (Math.abs(step) <= 1 && text.charCodeAt(end) - text.charCodeAt(end - 1) === step) end++;
    if (end - start < 3) {
      remaining += text[start];
      start++;
    } else start = end;
  }
  return remaining;
}
