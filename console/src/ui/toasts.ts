import { useSyncExternalStore } from 'react';
import { isReasonMissing } from '../api/errors.ts';

export type Toast = {
  id: number;
  message: string;
  tone: 'info' | 'bad';
  /** The subject. A newer message about the same subject replaces this message. */
  about?: string;
  /** A button, such as "Undo". */
  action?: { label: string; run(): void };
};

const DISPLAY_MS = 6000;
/** Longer, because the user has to read the message and decide. */
const DISPLAY_WITH_ACTION_MS = 15_000;
const MAX_TOASTS = 4;
let toasts: readonly Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function set(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

export const dismiss = (id: number): void => set(toasts.filter(toast => toast.id !== id));

/** Shows a message for 6 s in a polite live region, and for 15 s with a button. An error stays until it is dismissed. */
export function toast({
  tone = 'info',
  ...fields
}: Omit<Toast, 'id' | 'tone'> & { tone?: Toast['tone'] }): void {
  const id = ++lastId;
  const otherToasts = toasts.filter(({ about }) => about === undefined || about !== fields.about);
  set([...otherToasts, { ...fields, tone, id }].slice(-MAX_TOASTS));
  if (tone !== 'bad') setTimeout(dismiss, fields.action ? DISPLAY_WITH_ACTION_MS : DISPLAY_MS, id);
}

/**
 * Shows a request's error as a toast, for requests whose error has no place on the page. Shows nothing if the user cancelled the change
 * instead of entering a reason.
 */
export function toastError(error: unknown): void {
  if (isReasonMissing(error)) return;
  toast({ tone: 'bad', message: error instanceof Error ? error.message : String(error) });
}

export const useToasts = (): readonly Toast[] =>
  useSyncExternalStore(
    listener => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => toasts,
  );
