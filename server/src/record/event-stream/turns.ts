import { BoundedMap } from '@halyard/plane/platform/bounded-map.ts';

/** More callers than one server can have streams for. */
const MAX_CALLERS = 1_000;

type CallerStream = { caller: string };

/** Makes callers take turns. No matter how many streams a caller has, the other callers wait for only one of them. */
export function makeTurns() {
  /**
   * The last turn of each caller, numbered. A caller that reconnects keeps its turn number, so callers of closed streams are
   * remembered too.
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
