// The reason for a change, which is recorded in every event of the change.

import { REASON_PATH } from './errors.ts';

export const MAX_REASON_LENGTH = 500;

/** Returns the header that carries the reason for a write. */
export const reasonHeader = (reason = ''): { 'Halyard-Comment'?: string } =>
  reason.trim() === '' ? {} : { 'Halyard-Comment': encodeURIComponent(reason.trim().toWellFormed()) };

/** A change that the server rejected because its project requires a reason. */
export type ReasonPrompt = {
  message: string;
  /** Resends the change with the reason, or cancels the change if the reason is undefined. */
  answer(reason: string | undefined): void;
};

let prompts: readonly ReasonPrompt[] = [];
const listeners = new Set<() => void>();

/** Returns the oldest open prompt. */
export const readReasonPrompt = (): ReasonPrompt | undefined => prompts[0];

export function onReasonPrompt(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function setPrompts(newPrompts: readonly ReasonPrompt[]): void {
  prompts = newPrompts;
  for (const listener of listeners) listener();
}

/**
 * Asks the user for a reason if the change was rejected because it had none. Returns undefined if the rejection has a different cause,
 * or if the user cancels the change.
 */
export async function askForReason(request: Request, response: Response): Promise<string | undefined> {
  if (response.status !== 400 || request.headers.has('Halyard-Comment')) return undefined;
  const body: { details?: { path?: string; message: string }[] } = await response
    .clone()
    .json()
    .catch(() => ({}));
  const detail = body.details?.find(({ path }) => path === REASON_PATH);
  if (!detail) return undefined;
  return await new Promise(resolve => {
    const prompt: ReasonPrompt = {
      message: detail.message,
      answer: reason => {
        setPrompts(prompts.filter(other => other !== prompt));
        resolve(reason);
      },
    };
    setPrompts([...prompts, prompt]);
  });
}
