import { NativeSelect, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { messagesByField, otherMessages } from '../api/errors.ts';
import { PanelForm } from '../ui/PanelForm.tsx';
import { useDraft } from '../ui/useDraft.ts';
import { useUnsaved } from '../ui/useUnsaved.tsx';
import { type NamedRole, roleOptions } from '../users/roles.ts';
import { createServiceAccount } from './queries.ts';

const FIELDS = ['name', 'username', 'rootRole'];
const EMPTY = { name: '', username: '', rootRole: '3' };

/** The panel that creates a service account. Its page creates the tokens. */
export function NewServiceAccount({ roles, onClose }: { roles: readonly NamedRole[]; onClose(): void }) {
  const navigate = useNavigate();
  const { draft, change, isChanged, forget } = useDraft('new-service-account', EMPTY);
  const create = useMutation({
    mutationFn: () =>
      createServiceAccount({
        name: draft.name.trim(),
        ...(draft.username.trim() && { username: draft.username.trim() }),
        rootRole: Number(draft.rootRole),
      }),
    onSuccess: async ({ id }) => {
      forget();
      await navigate({
        to: '/admin/service-accounts/$accountId',
        params: { accountId: String(id) },
        ignoreBlocker: true,
      });
    },
  });
  const messages = messagesByField(create.error);
  const unsaved = useUnsaved(isChanged, forget);
  const edit = (part: Partial<typeof EMPTY>) => {
    change(part);
    create.reset();
  };
  return (
    <PanelForm
      title="New service account"
      action="Create service account"
      pending={create.isPending}
      disabled={draft.name.trim() === ''}
      messages={otherMessages(create.error, FIELDS)}
      {...unsaved}
      onSubmit={() => create.mutate()}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        required
        maxLength={255}
        autoComplete="off"
        data-autofocus
        value={draft.name}
        error={messages.name}
        onChange={event => edit({ name: event.target.value })}
      />
      <TextInput
        label="Username"
        description="Shown in events. Without one, it equals the name. It cannot be changed later."
        classNames={{ input: 'mono' }}
        maxLength={255}
        autoComplete="off"
        spellCheck={false}
        value={draft.username}
        error={messages.username}
        onChange={event => edit({ username: event.target.value })}
      />
      <NativeSelect
        label="Root role"
        description={roles.find(({ id }) => String(id) === draft.rootRole)?.description}
        value={draft.rootRole}
        error={messages.rootRole}
        data={roleOptions(roles)}
        onChange={event => edit({ rootRole: event.target.value })}
      />
    </PanelForm>
  );
}
