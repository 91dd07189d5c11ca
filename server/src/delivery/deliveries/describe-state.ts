/** The state of a delivery that has not ended. */
export type Waiting = {
  state: string;
  /** As stored at the end of the last attempt; empty before the first. */
  stateDetails: string;
  attempts: number;
  nextAttemptAt: string | null;
  isRunning: boolean;
  /** The event that an ordered integration delivers first; failed: its delivery failed and blocks the rest. */
  blockedBy: { event: number; failed: boolean } | null;
};

/** Describes what an open delivery waits for. It is computed on read, because other deliveries change it. */
export function describeState(waiting: Waiting): string {
  const { state, stateDetails, attempts, nextAttemptAt, isRunning, blockedBy } = waiting;
  if (state !== 'pending' && state !== 'retrying') return stateDetails;
  const past = state === 'retrying' ? `${stateDetails} ` : '';
  if (isRunning) return `${past}Attempt ${attempts} is running.`;
  if (blockedBy?.failed) {
    return `${past}Waiting for event ${blockedBy.event}, whose delivery failed. Redeliver or skip that delivery.`;
  }
  if (blockedBy) return `${past}Waiting for event ${blockedBy.event}, which is delivered first.`;
  if (state === 'retrying') return `${past}Next attempt at ${nextAttemptAt}.`;
  return attempts === 0 ? 'Waiting for its first attempt.' : 'Waiting to be redelivered.';
}
