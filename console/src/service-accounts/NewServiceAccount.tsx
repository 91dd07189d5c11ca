import { NativeSelect, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { messagesByField, messagesWithoutField } from '../api/errors.ts';
import { PanelForm } from '../ui/PanelForm.tsx';
import { findNameProblems } from '../ui/problems.ts';
import { useCreation } from '../ui/useCreation.ts';
import { listRoleOptions, type NamedRole } from '../users/roles.ts';
import { createServiceAccount } from './queries.ts';
import { TokenSecretsCheckbox } from './TokenSecretsCheckbox.tsx';

const SHOWN_FIELDS = ['name', 'username', 'rootRole', 'readsTokenSecrets'];
const EMPTY = { name: '', username: '', rootRole: '3', readsTokenSecrets: false };

/** The panel that creates a service account. Tokens are created on the account's page. */
export function NewServiceAccount({ roles, onClose }: { roles: readonly NamedRole[]; onClose(): void }) {
  const navigate = useNavigate();
  const { draft, edit, submit, error, isPending, unsaved } = useCreation({
    draftKey: 'new-service-account',
    empty: EMPTY,
    send: ({ name, username, rootRole, readsTokenSecrets }) =>
      createServiceAccount({
        name: name.trim(),
        ...(username.trim() && { username: username.trim() }),
        rootRole: Number(rootRole),
        readsTokenSecrets,
      }),
    onSent: ({ id }) =>
      navigate({
        to: '/admin/service-accounts/$accountId',
        params: { accountId: String(id) },
        ignoreBlocker: true,
      }),
  });
  const messages = messagesByField(error);
  return (
    <PanelForm
      title="New service account"
      action="Create service account"
      pending={isPending}
      problems={findNameProblems(draft.name)}
      messages={messagesWithoutField(error, SHOWN_FIELDS)}
      {...unsaved}
      onSubmit={submit}
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
        description="Shown in events. By default, the same as the name. It cannot be changed later."
        classNames={{ input: 'mono' }}
        maxLength={255}
        autoComplete="off"
        spellCheck={false}
        value={draft.username}
        error={messages.username}
        onChange={event => edit({ username: event.target.value })}
      />
      <NativeSelect
        label="Role on this instance"
        description={roles.find(({ id }) => String(id) === draft.rootRole)?.description}
        value={draft.rootRole}
        error={messages.rootRole}
        data={listRoleOptions(roles)}
        onChange={event => edit({ rootRole: event.target.value })}
      />
      <TokenSecretsCheckbox
        call="createServiceAccount"
        checked={draft.readsTokenSecrets}
        error={messages.readsTokenSecrets}
        onChange={readsTokenSecrets => edit({ readsTokenSecrets })}
      />
    </PanelForm>
  );
}
