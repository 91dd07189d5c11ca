import { toast } from './toasts.ts';

/** Returns whether the browser is offline. If so, also shows a message that nothing was changed. */
export function isOffline(): boolean {
  if (navigator.onLine) return false;
  toast({ about: 'offline', tone: 'bad', message: 'You are offline. Nothing was changed.' });
  return true;
}
