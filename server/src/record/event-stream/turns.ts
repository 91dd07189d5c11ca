/** More callers than one server has streams. */
const MAX_CALLERS = 1_000;

type Served = { caller: string };

/** Turns of callers. However many streams one caller has, the others wait for one of them only. */
export function makeTurns() {
  /** The last turns of callers, numbered. The oldest is first. */
  const last = new Map<string, number>();
  let turn = 0;
  return {
    /** The first stream of the caller whose last turn is longest ago. */
    next: <T extends Served>(streams: T[]): T | undefined => {
      const turnOf = ({ caller }: T) => last.get(caller) ?? 0;
      return streams.toSorted((a, b) => turnOf(a) - turnOf(b))[0];
    },
    end: (streams: Served[]): void => {
      turn++;
      for (const { caller } of streams) {
        last.delete(caller);
        last.set(caller, turn);
      }
      // A caller that reconnects keeps its place, so the callers of closed streams are remembered too.
      for (const caller of [...last.keys()].slice(0, -MAX_CALLERS)) last.delete(caller);
    },
  };
}
