import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Can } from '../ui/Can.tsx';
import { Confirm } from '../ui/Confirm.tsx';
import { toast } from '../ui/toasts.ts';
import { maintenanceQuery, setMaintenance } from './queries.ts';

/** Toggles maintenance mode, after a confirmation, because it affects everybody. */
export function Maintenance() {
  const { data } = useQuery(maintenanceQuery);
  const [isConfirming, setConfirming] = useState(false);
  if (!data) return null;
  const enabled = !data.enabled;
  const verb = enabled ? 'Enable' : 'Disable';
  return (
    <>
      <Can call="setMaintenance">
        <Button onClick={() => setConfirming(true)}>{verb} maintenance mode…</Button>
      </Can>
      <Confirm
        opened={isConfirming}
        title={`${verb} maintenance mode`}
        action={`${verb} maintenance mode`}
        focusesCancel
        onConfirm={async () => {
          await setMaintenance(enabled);
          toast({ message: `Maintenance mode ${enabled ? 'enabled' : 'disabled'}.` });
        }}
        onClose={() => setConfirming(false)}
      >
        {enabled
          ? 'Until somebody disables it, nobody can change anything, in the console or through the API. SDKs continue to get flags and send metrics.'
          : 'Everybody can make changes again.'}
      </Confirm>
    </>
  );
}
