import { BoundedMap } from '@halyard/plane/platform/bounded-map.ts';
import { tooManyRequests } from '@halyard/plane/platform/errors.ts';

const MAX_USERS = 10_000;

export type PerUserLimit = {
  /** Counts an attempt, or throws if the user has no attempts left. */
  take: (userId: number) => void;
  refund: (userId: number) => void;
};

/**
 * Limits how often each user may do something within a few minutes. The attempts are counted in memory, so each server has its own
 * limit.
 */
export function makePerUserLimit(
  { max, minutes }: { max: number; minutes: number },
  message: string,
): PerUserLimit {
  const counts = new BoundedMap<number, { attempts: number; endsAt: number }>(MAX_USERS);
  return {
    take: userId => {
      const currentWindow = counts.get(userId);
      const now = Date.now();
      const { attempts, endsAt } =
        currentWindow && currentWindow.endsAt > now
          ? currentWindow
          : { attempts: 0, endsAt: now + minutes * 60_000 };
      if (attempts >= max) throw tooManyRequests(message, Math.ceil((endsAt - now) / 1_000));
      counts.set(userId, { attempts: attempts + 1, endsAt });
    },
    refund: userId => {
      const currentWindow = counts.get(userId);
      if (currentWindow && currentWindow.attempts > 0) currentWindow.attempts -= 1;
    },
  };
}
