import { BoundedMap } from '../../../../plane/src/platform/bounded-map.ts';
import { tooManyRequests } from '../../../../plane/src/platform/errors.ts';

const MAX_USERS = 10_000;

export type PerPerson = {
  /** Counts one, or rejects the request of a person who has used up theirs. */
  take: (userId: number) => void;
  giveBack: (userId: number) => void;
};

/** Counts what one person does within some minutes, in memory: each server allows as much. */
export function makePerPerson(
  { max, minutes }: { max: number; minutes: number },
  message: string,
): PerPerson {
  const counts = new BoundedMap<number, { taken: number; until: number }>(MAX_USERS);
  return {
    take: userId => {
      const kept = counts.get(userId);
      const now = Date.now();
      const { taken, until } = kept && kept.until > now ? kept : { taken: 0, until: now + minutes * 60_000 };
      if (taken >= max) throw tooManyRequests(message, Math.ceil((until - now) / 1_000));
      counts.set(userId, { taken: taken + 1, until });
    },
    giveBack: userId => {
      const kept = counts.get(userId);
      if (kept && kept.taken > 0) kept.taken -= 1;
    },
  };
}
