import { toast } from './toasts.ts';

/** Whether the browser is offline. If it is, a message says that nothing was changed. */
export function isOffline(): boolean {
  if (navigator.onLine) return false;
  toast({ about: 'offline', tone: 'bad', message: 'You are offline. Nothing was changed.' });
  return true;
}
