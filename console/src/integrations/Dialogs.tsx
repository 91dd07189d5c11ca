import { NativeSelect } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { Confirm } from '../ui/Confirm.tsx';
import { Secret } from '../ui/Secret.tsx';
import { toast } from '../ui/toasts.ts';
import { deleteIntegration, type Integration, rotateSecret } from './queries.ts';

const OVERLAPS = [
  { value: '24', label: '24 hours' },
  { value: '168', label: '7 days' },
  { value: '1', label: '1 hour' },
  { value: '0', label: '0 hours (stops immediately)' },
];

/** Creates a new signing secret and shows it once. */
export function RotateDialog({ integration, onClose }: { integration: Integration; onClose(): void }) {
  const [hours, setHours] = useState('24');
  const [secret, setSecret] = useState<string>();
  const isRotated = useRef(false);
  const rotate = async () => {
    const rotation = await rotateSecret(integration.id, {
      overlapHours: Number(hours),
      // The dialog has warned that the oldest secret stops working.
      force: integration.oldSecretUntil !== null,
    });
    isRotated.current = true;
    setSecret(rotation.signingSecret);
  };
  if (secret !== undefined)
    return (
      <Secret title="New signing secret" secret={secret} onStored={onClose}>
        The receiver verifies requests with this secret. Copy it now. Halyard does not show it again.
      </Secret>
    );
  return (
    <Confirm
      opened
      title="Rotate the signing secret?"
      action="Rotate the secret"
      onConfirm={rotate}
      // After a rotation, the dialog stays open to show the secret.
      onClose={() => !isRotated.current && onClose()}
    >
      <p>Halyard creates a new secret and shows it once.</p>
      {integration.oldSecretUntil && (
        <p>A rotation is already in progress. If you rotate again, the oldest secret stops working.</p>
      )}
      <NativeSelect
        label="The previous secret keeps working for"
        value={hours}
        data={OVERLAPS}
        onChange={event => setHours(event.target.value)}
      />
    </Confirm>
  );
}

export function DeleteDialog({
  integration,
  title,
  onClose,
}: {
  integration: Integration;
  title: string;
  onClose(): void;
}) {
  const navigate = useNavigate();
  const remove = async () => {
    await deleteIntegration(integration.id);
    await navigate({ to: '/integrations' });
    toast({ message: `Deleted ${title}.` });
  };
  return (
    <Confirm
      opened
      danger
      title={`Delete ${title}?`}
      action="Delete integration"
      onConfirm={remove}
      onClose={onClose}
    >
      <p>This also deletes its delivery records. Pending deliveries are not sent.</p>
    </Confirm>
  );
}
