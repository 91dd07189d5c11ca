import { Textarea, TextInput } from '@mantine/core';
import { Confirm } from '../ui/Confirm.tsx';
import { toast } from '../ui/toasts.ts';
import { useDraft } from '../ui/useDraft.ts';
import { type Finding, snoozeFinding } from './queries.ts';

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;
const MAX_DAYS = 365;

const formatDayIn = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);

/** Asks for how long and why to snooze a finding. */
export function Snooze({
  projectId,
  finding,
  onClose,
}: {
  projectId: string;
  finding: Finding;
  onClose(): void;
}) {
  const { draft, change, discard } = useDraft(
    `snooze:${projectId}:${finding.rule}:${finding.feature ?? finding.segment?.id}`,
    { reason: '', until: formatDayIn(DEFAULT_DAYS) },
  );
  const { reason, until } = draft;
  const subject = finding.feature ?? finding.segment?.name ?? '';
  return (
    <Confirm
      opened
      title={`Snooze ${subject}`}
      action="Snooze"
      disabled={reason.trim() === '' || until === ''}
      onConfirm={async () => {
        await snoozeFinding(projectId, finding, { reason: reason.trim(), until: `${until}T00:00:00Z` });
        toast({ message: `Snoozed ${subject} until ${until}.` });
      }}
      onClose={() => {
        discard();
        onClose();
      }}
    >
      <p>Hides the finding until the chosen day. It still lowers the score.</p>
      <Textarea
        label="Reason"
        required
        rows={3}
        maxLength={1000}
        data-autofocus
        value={reason}
        onChange={event => change({ reason: event.target.value })}
      />
      <TextInput
        label="Until"
        description="The start of this day in UTC"
        type="date"
        required
        mt={12}
        min={formatDayIn(1)}
        max={formatDayIn(MAX_DAYS)}
        value={until}
        onChange={event => change({ until: event.target.value })}
      />
    </Confirm>
  );
}
