import { BoundedMap } from '../../../../plane/src/platform/bounded-map.ts';

/** More callers than one server has streams. */
const MAX_CALLERS = 1_000;

type Served = { caller: string };

/** The callers take turns. However many streams one caller has, the others wait for only one of them. */
export function makeTurns() {
  /** The last turn of each caller, numbered. A caller that reconnects keeps its place, so callers of closed streams are remembered too. */
  const last = new BoundedMap<string, number>(MAX_CALLERS);
  let turn = 0;
  return {
    /** The first stream of the caller whose last turn is longest ago. */
    next: <T extends Served>(streams: T[]): T | undefined => {
      const turnOf = ({ caller }: T) => last.get(caller) ?? 0;
      return streams.toSorted((a, b) => turnOf(a) - turnOf(b))[0];
    },
    end: (streams: Served[]): void => {
      turn++;
      for (const { caller } of streams) last.set(caller, turn);
    },
  };
}
