import { BoundedMap } from '../../plane/src/platform/bounded-map.ts';

const PER_SECOND = 10;
/** How long a token that upstream does not know is rejected without asking again. */
const NO_FOR_MS = 60_000;
const MAX_KEPT = 10_000;

/**
 * Asks upstream about unknown tokens: once for each hash, and at most 10 times a second, so that random tokens do not load
 * upstream. Throws if it cannot ask now; SDKs then get 503.
 */
export function limitQuestions<T extends { token: object | null }>(
  ask: (hash: string) => Promise<T>,
  /** Whether an answer is as new as what the edge has. Edges that read from this one ignore older ones. */
  isCurrent: (answer: T) => boolean,
  now: () => number = () => performance.now(),
): (hash: string) => Promise<T> {
  const rejected = new BoundedMap<string, { answer: T; until: number }>(MAX_KEPT);
  const running = new Map<string, Promise<T>>();
  let left = PER_SECOND;
  let filledAt = now();

  const take = (): boolean => {
    left = Math.min(PER_SECOND, left + ((now() - filledAt) / 1_000) * PER_SECOND);
    filledAt = now();
    if (left < 1) return false;
    left--;
    return true;
  };

  return async hash => {
    const known = rejected.get(hash);
    if (known && known.until > now() && isCurrent(known.answer)) return known.answer;
    const asked = running.get(hash);
    if (asked !== undefined) return await asked;
    if (!take()) throw new Error('Too many unknown tokens');
    const question = ask(hash)
      .then(answer => {
        if (answer.token === null) rejected.set(hash, { answer, until: now() + NO_FOR_MS });
        return answer;
      })
      .finally(() => running.delete(hash));
    running.set(hash, question);
    return await question;
  };
}
