/** The facts that describe what an open delivery is waiting for. */
export type DeliveryProgress = {
  state: string;
  /** The details stored at the end of the last attempt, or an empty string before the first. */
  stateDetails: string;
  attempts: number;
  nextAttemptAt: string | null;
  isRunning: boolean;
  /** The event that an ordered integration has to deliver first. `failed` means that its delivery failed and blocks the rest. */
  blockedBy: { event: number; failed: boolean } | null;
};

/** Describes what an open delivery is waiting for. Not stored, because it depends on other deliveries. */
export function describeState(progress: DeliveryProgress): string {
  const { state, stateDetails, attempts, nextAttemptAt, isRunning, blockedBy } = progress;
  if (state !== 'pending' && state !== 'retrying') return stateDetails;
  const previousDetails = state === 'retrying' ? `${stateDetails} ` : '';
  if (isRunning) return `${previousDetails}Attempt ${attempts} is running.`;
  if (blockedBy?.failed)
    return `${previousDetails}Waiting for event ${blockedBy.event}, whose delivery failed. Redeliver or skip that delivery.`;
  if (blockedBy) return `${previousDetails}Waiting for event ${blockedBy.event}, which is delivered first.`;
  if (state === 'retrying') return `${previousDetails}Next attempt at ${nextAttemptAt}.`;
  return attempts === 0 ? 'Waiting for its first attempt.' : 'Waiting to be redelivered.';
}
