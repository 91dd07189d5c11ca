import { Textarea, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Confirm } from '../ui/Confirm.tsx';
import { toast } from '../ui/toasts.ts';
import { type Finding, refreshHealth, snoozeFinding } from './queries.ts';

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;
const MAX_DAYS = 365;

const dayIn = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);

/** Asks for the reason and the end of a snooze. */
export function Snooze({
  projectId,
  finding,
  onClose,
}: {
  projectId: string;
  finding: Finding;
  onClose(): void;
}) {
  const client = useQueryClient();
  const [reason, setReason] = useState('');
  const [until, setUntil] = useState(() => dayIn(DEFAULT_DAYS));
  const subject = finding.feature ?? finding.segment?.name ?? '';
  return (
    <Confirm
      opened
      title={`Snooze ${subject}`}
      action="Snooze"
      disabled={reason.trim() === '' || until === ''}
      onConfirm={async () => {
        await snoozeFinding(projectId, finding, { reason: reason.trim(), until: `${until}T00:00:00Z` });
        await refreshHealth(client, projectId);
        toast({ message: `Snoozed ${subject} until ${until}.` });
      }}
      onClose={onClose}
    >
      <p>The finding leaves the list until this day. It still counts in the score.</p>
      <Textarea
        label="Reason"
        required
        rows={3}
        maxLength={1000}
        data-autofocus
        value={reason}
        onChange={event => setReason(event.target.value)}
      />
      <TextInput
        label="Until"
        description="The start of this day in UTC"
        type="date"
        required
        mt={12}
        min={dayIn(1)}
        max={dayIn(MAX_DAYS)}
        value={until}
        onChange={event => setUntil(event.target.value)}
      />
    </Confirm>
  );
}
