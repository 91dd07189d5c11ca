import { Button } from '@mantine/core';
import { RefreshCw, WifiOff } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { onConnectionChange, readConnection } from '../api/session.ts';
import { WaitingChanges } from '../ui/WaitingChanges.tsx';
import s from './Shell.module.css';
import { describeConnection } from './words.ts';

const subscribeToOnline = (listener: () => void): (() => void) => {
  addEventListener('online', listener);
  addEventListener('offline', listener);
  return () => {
    removeEventListener('online', listener);
    removeEventListener('offline', listener);
  };
};

export const useIsOnline = (): boolean => useSyncExternalStore(subscribeToOnline, () => navigator.onLine);

/** Says that the server is unreachable or busy, or was updated. Requests and pages retry automatically. */
export function ConnectionBanner() {
  const { unavailable, snapshot, outdated, waitingWrites } = useSyncExternalStore(
    onConnectionChange,
    readConnection,
  );
  const isOnline = useIsOnline();
  if (outdated)
    return (
      <div role="alert" className={s.banner}>
        <RefreshCw size={14} aria-hidden="true" /> Halyard was updated. Reload to open other pages.
        <Button size="xs" onClick={() => location.reload()}>
          Reload
        </Button>
      </div>
    );
  const message = isOnline
    ? describeConnection({ unavailable, snapshot, waitingWrites })
    : 'You are offline. The page shows the last known state.';
  return (
    <div role="status">
      {message && (
        <p className={s.banner}>
          <WifiOff size={14} aria-hidden="true" /> {message} <WaitingChanges />
        </p>
      )}
    </div>
  );
}
