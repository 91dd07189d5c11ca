import { cancelled } from './errors.ts';
import { setConnection } from './session.ts';

/** The writes that got no response and are retried. */
const waiting = new Set<AbortController>();

const publish = (): void => setConnection({ waitingWrites: waiting.size });

/** Runs a write that the user can cancel while it waits for the server. */
export async function withCancel<T>(
  signal: AbortSignal,
  work: (signal: AbortSignal, setWaiting: (isWaiting: boolean) => void) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const setWaiting = (isWaiting: boolean): void => {
    if (isWaiting) waiting.add(controller);
    else waiting.delete(controller);
    publish();
  };
  try {
    return await work(AbortSignal.any([signal, controller.signal]), setWaiting);
  } finally {
    setWaiting(false);
  }
}

/** Ends the retries. The server may have carried out a change whose response got lost. */
export function cancelWrites(): void {
  for (const controller of waiting) controller.abort(cancelled());
}
