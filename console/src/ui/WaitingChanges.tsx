import { Button } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import { onConnectionChange, readConnection } from '../api/session.ts';
import { cancelWrites } from '../api/waiting-writes.ts';
import s from './WaitingChanges.module.css';
import { formatCount } from './words.ts';

/** Says that changes are being retried because the server did not respond, and lets the user cancel the retries. */
export function WaitingChanges() {
  const { waitingWrites } = useSyncExternalStore(onConnectionChange, readConnection);
  if (waitingWrites === 0) return null;
  return (
    <span className={s.waiting} role="status">
      {formatCount(waitingWrites, 'change')} {waitingWrites === 1 ? 'is' : 'are'} not saved yet. Halyard keeps
      trying.
      <Button size="compact-xs" variant="default" onClick={cancelWrites}>
        Stop trying
      </Button>
    </span>
  );
}
