import { BoundedMap } from '@halyard/plane/platform/bounded-map.ts';

/** More callers than a server can have streams open for. */
const MAX_CALLERS = 1_000;

type CallerStream = { caller: string };

/** Makes callers take turns. No matter how many streams a caller has, the other callers wait for only one of them. */
export function makeTurns() {
  /**
   * The number of each caller's last turn. Callers stay in the map after their streams close, so reconnecting does not win an
   * earlier turn.
   */
  const lastTurns = new BoundedMap<string, number>(MAX_CALLERS);
  let turn = 0;
  return {
    /** Returns the first stream of the caller whose last turn was longest ago. */
    next: <T extends CallerStream>(streams: T[]): T | undefined => {
      const getLastTurn = ({ caller }: T) => lastTurns.get(caller) ?? 0;
      return streams.toSorted((a, b) => getLastTurn(a) - getLastTurn(b))[0];
    },
    end: (streams: CallerStream[]): void => {
      turn++;
      for (const { caller } of streams) lastTurns.set(caller, turn);
    },
  };
}
