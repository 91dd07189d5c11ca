import { cancelledError } from './errors.ts';
import { setConnection } from './session.ts';

/** The writes that got no response and are being retried. */
const waitingWrites = new Set<AbortController>();

const publish = (): void => setConnection({ waitingWrites: waitingWrites.size });

/** Runs a write that the user can cancel while it waits for the server. */
export async function runCancellable<T>(
  signal: AbortSignal,
  work: (signal: AbortSignal, setWaiting: (isWaiting: boolean) => void) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const setWaiting = (isWaiting: boolean): void => {
    if (isWaiting) waitingWrites.add(controller);
    else waitingWrites.delete(controller);
    publish();
  };
  try {
    return await work(AbortSignal.any([signal, controller.signal]), setWaiting);
  } finally {
    setWaiting(false);
  }
}

/** Stops the retries. The server may still have carried out a change whose response was lost. */
export function cancelWrites(): void {
  for (const controller of waitingWrites) controller.abort(cancelledError());
}
