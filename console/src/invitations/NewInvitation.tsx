import { NativeSelect, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { messagesByField, otherMessages } from '../api/errors.ts';
import { PanelForm } from '../ui/PanelForm.tsx';
import { Secret } from '../ui/Secret.tsx';
import { useDraft } from '../ui/useDraft.ts';
import { useFilters } from '../ui/useFilters.ts';
import { useUnsaved } from '../ui/useUnsaved.tsx';
import { createInvitation } from './queries.ts';

const FIELDS = ['name', 'expiresAt'];
const DAY = 86_400_000;

export const LIFETIMES = [
  { value: '1', label: '1 day from now' },
  { value: '7', label: '7 days from now' },
  { value: '30', label: '30 days from now' },
  { value: '90', label: '90 days from now' },
];

/** The panel that creates a signup link, which the server shows once. */
export function NewInvitation({ onClose }: { onClose(): void }) {
  const { leave } = useFilters();
  const { draft, change, isChanged, forget } = useDraft('new-invitation', { name: '', days: '7' });
  const create = useMutation({
    mutationFn: () =>
      createInvitation({
        name: draft.name.trim(),
        expiresAt: new Date(Date.now() + Number(draft.days) * DAY).toISOString(),
      }),
    onSuccess: forget,
  });
  const created = create.data;
  const messages = messagesByField(create.error);
  const unsaved = useUnsaved(isChanged && !created, forget);
  if (created)
    return (
      <Secret
        title={`Link of ${created.name}`}
        secret={created.url ?? created.secret}
        label="Copy link"
        onStored={() => leave({ edit: undefined, invitation: String(created.id) })}
      >
        Everyone with this link can sign up as Viewer until it expires. Copy it now. Halyard does not show it
        again.
      </Secret>
    );
  return (
    <PanelForm
      title="New invitation"
      action="Create invitation"
      pending={create.isPending}
      disabled={draft.name.trim() === ''}
      messages={otherMessages(create.error, FIELDS)}
      {...unsaved}
      onSubmit={() => create.mutate()}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        description="Only admins see it: for whom the link is."
        placeholder="Summer interns"
        required
        maxLength={255}
        autoComplete="off"
        data-autofocus
        value={draft.name}
        error={messages.name}
        onChange={event => {
          change({ name: event.target.value });
          create.reset();
        }}
      />
      <NativeSelect
        label="Expires"
        value={draft.days}
        data={LIFETIMES}
        error={messages.expiresAt}
        onChange={event => change({ days: event.target.value })}
      />
    </PanelForm>
  );
}
