import { useConnection } from '../connect/ConnectionLine.tsx';
import type { NewestFlag, NewestToken } from './queries.ts';

type State = ReturnType<typeof useConnection>;

/** Tracks whether a flag exists, whether an application uses a token, and whether the application has evaluated a flag. */
export function useProgress(
  flag: NewestFlag | undefined,
  token: NewestToken | undefined,
): { completedSteps: [boolean, boolean, boolean]; connection: State | undefined } {
  const connection = useConnection(token);
  const hasFlag = flag !== undefined;
  const isConnected = token !== undefined && connection.state !== 'waiting';
  const hasEvaluated =
    isConnected && hasFlag && (connection.state === 'evaluated' || flag.lastSeenAt !== undefined);
  return {
    completedSteps: [hasFlag, isConnected, hasEvaluated],
    connection: token && connection,
  };
}
