import { useConnection } from '../connect/ConnectionLine.tsx';
import type { FirstFlag, FirstToken } from './queries.ts';

type State = ReturnType<typeof useConnection>;

/** Which of the three steps are done: a flag exists, an application uses a token, and it evaluated a flag. */
export function useProgress(
  flag: FirstFlag | undefined,
  token: FirstToken | undefined,
): { done: [boolean, boolean, boolean]; connection: State | undefined } {
  const connection = useConnection(token);
  const hasFlag = flag !== undefined;
  const isConnected = token !== undefined && connection.state !== 'waiting';
  const hasEvaluated =
    isConnected && hasFlag && (connection.state === 'evaluated' || flag.lastSeenAt !== undefined);
  return {
    done: [hasFlag, isConnected, hasEvaluated],
    connection: token && connection,
  };
}
