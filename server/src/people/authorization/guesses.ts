import { BoundedMap } from '../../../../plane/src/platform/bounded-map.ts';
import { tooManyRequests } from '../../../../plane/src/platform/errors.ts';
import { GUESSES } from './limits.ts';

const MAX_USERS = 10_000;

/**
 * Counts wrong user codes per person, in memory: each server allows its own ten, which is nothing compared with the number of
 * codes.
 */
export function makeGuesses() {
  const counts = new BoundedMap<number, { wrong: number; until: number }>(MAX_USERS);
  const current = (userId: number) => {
    const count = counts.get(userId);
    return count && count.until > Date.now() ? count : undefined;
  };
  return {
    check: (userId: number): void => {
      const count = current(userId);
      if (count && count.wrong >= GUESSES.wrong)
        throw tooManyRequests(
          `Too many wrong codes. Wait, and let the program show a new one.`,
          Math.ceil((count.until - Date.now()) / 1_000),
        );
    },
    miss: (userId: number): void => {
      const { wrong, until } = current(userId) ?? { wrong: 0, until: Date.now() + GUESSES.minutes * 60_000 };
      counts.set(userId, { wrong: wrong + 1, until });
    },
  };
}
