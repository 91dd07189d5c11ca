import { NativeSelect, TextInput } from '@mantine/core';
import { messagesByField, messagesWithoutField } from '../api/errors.ts';
import { PanelForm } from '../ui/PanelForm.tsx';
import { findNameProblems } from '../ui/problems.ts';
import { Secret } from '../ui/Secret.tsx';
import { useCreation } from '../ui/useCreation.ts';
import { useFilters } from '../ui/useFilters.ts';
import { createInvitation } from './queries.ts';

const SHOWN_FIELDS = ['name', 'expiresAt'];
const DAY_MS = 86_400_000;

export const LIFETIMES = [
  { value: '1', label: '1 day from now' },
  { value: '7', label: '7 days from now' },
  { value: '30', label: '30 days from now' },
  { value: '90', label: '90 days from now' },
];

/** The panel that creates a signup link, which the server shows once. */
export function NewInvitation({ onClose }: { onClose(): void }) {
  const { leave } = useFilters();
  const {
    draft,
    edit,
    submit,
    result: invitation,
    error,
    isPending,
    unsaved,
  } = useCreation({
    draftKey: 'new-invitation',
    empty: { name: '', days: '7' },
    send: ({ name, days }) =>
      createInvitation({
        name: name.trim(),
        expiresAt: new Date(Date.now() + Number(days) * DAY_MS).toISOString(),
      }),
  });
  const messages = messagesByField(error);
  if (invitation)
    return (
      <Secret
        title={`Link for ${invitation.name}`}
        secret={invitation.url ?? invitation.secret}
        label="Copy link"
        confirmation="I have sent it"
        onStored={() => leave({ edit: undefined, invitation: String(invitation.id) })}
      >
        Anyone with this link can sign up as Viewer until it expires. Copy it now. Halyard does not show it
        again.
      </Secret>
    );
  return (
    <PanelForm
      title="New invitation"
      action="Create invitation"
      pending={isPending}
      problems={findNameProblems(draft.name)}
      messages={messagesWithoutField(error, SHOWN_FIELDS)}
      {...unsaved}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        description="Who the link is for. Only admins see it."
        placeholder="Summer interns"
        required
        maxLength={255}
        autoComplete="off"
        data-autofocus
        value={draft.name}
        error={messages.name}
        onChange={event => edit({ name: event.target.value })}
      />
      <NativeSelect
        label="Expires"
        value={draft.days}
        data={LIFETIMES}
        error={messages.expiresAt}
        onChange={event => edit({ days: event.target.value })}
      />
    </PanelForm>
  );
}
