import { WifiOff } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { onConnection, readConnection } from '../api/session.ts';
import s from './Shell.module.css';

const onOnline = (listener: () => void): (() => void) => {
  addEventListener('online', listener);
  addEventListener('offline', listener);
  return () => {
    removeEventListener('online', listener);
    removeEventListener('offline', listener);
  };
};

/** Says that the server is unreachable or busy. Requests retry by themselves. */
export function ConnectionBanner() {
  const { unavailable } = useSyncExternalStore(onConnection, readConnection);
  const isOnline = useSyncExternalStore(onOnline, () => navigator.onLine);
  const message = !isOnline
    ? 'You are offline. The page shows the last state.'
    : unavailable
      ? 'The server is not available at the moment. Requests are retried.'
      : undefined;
  return (
    <div role="status">
      {message && (
        <p className={s.banner}>
          <WifiOff size={14} aria-hidden="true" /> {message}
        </p>
      )}
    </div>
  );
}
