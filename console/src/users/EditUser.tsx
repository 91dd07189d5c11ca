import { NativeSelect, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { messagesByField, messagesWithoutField } from '../api/errors.ts';
import { useMissingPermissions } from '../api/me.ts';
import { Conflict } from '../ui/Conflict.tsx';
import { FormErrors } from '../ui/Failure.tsx';
import { Form } from '../ui/Form.tsx';
import { Loading } from '../ui/Loading.tsx';
import { findChange } from '../ui/last-change.ts';
import { SaveBar } from '../ui/SaveBar.tsx';
import { SidePanel } from '../ui/SidePanel.tsx';
import { toast } from '../ui/toasts.ts';
import { useEditor } from '../ui/useEditor.tsx';
import { useFilters } from '../ui/useFilters.ts';
import type { Version } from '../ui/versions.ts';
import { buildSubject, updateUser, userQuery } from './queries.ts';
import { getRoleName, listRoleOptions, type RootRole } from './roles.ts';
import { getDisplayName } from './words.ts';

const SHOWN_FIELDS = ['name', 'email', 'rootRole'];

/** The fields that the panel edits. The role is a name, so that people can read the list of changes. */
type Draft = { name: string; email: string; role: string };

/** The panel that edits the name, email address and root role of a user. */
export function EditUserPanel({
  id,
  roles,
  onClose,
}: {
  id: number;
  roles: readonly RootRole[];
  onClose(): void;
}) {
  const { data, error, refetch } = useQuery(userQuery(id));
  if (!data)
    return (
      <SidePanel title="User" onClose={onClose}>
        <Loading queries={[{ error, refetch }]} rows={3} />
      </SidePanel>
    );
  return <Editor id={id} roles={roles} currentUser={data} onClose={onClose} />;
}

type UserWithEtag = {
  user: Parameters<typeof getDisplayName>[0] & { rootRole: number | null };
  etag: string;
};

function Editor({
  id,
  roles,
  currentUser,
  onClose,
}: {
  id: number;
  roles: readonly RootRole[];
  currentUser: UserWithEtag;
  onClose(): void;
}) {
  const client = useQueryClient();
  const { leave } = useFilters();
  const toVersion = ({ user, etag }: UserWithEtag): Version<Draft> => ({
    draft: { name: user.name ?? '', email: user.email ?? '', role: getRoleName(roles, user.rootRole) },
    etag,
  });
  const { draft, changes, change, error, conflict, confirmation, ...editor } = useEditor<Draft>({
    draftKey: `user:${id}`,
    current: toVersion(currentUser),
    read: async () => toVersion(await client.fetchQuery({ ...userQuery(id), staleTime: 0 })),
    save: ({ name, email, role }, etag) => {
      const rootRole = roles.find(candidate => candidate.name === role)?.id;
      return updateUser(
        id,
        { name: name.trim() || null, email: email.trim() || null, ...(rootRole && { rootRole }) },
        etag,
      );
    },
    findChange: () => findChange(buildSubject(id)),
    onSaved: async () => {
      toast({ message: 'User saved.' });
      leave({ edit: undefined, user: String(id) });
      return undefined;
    },
  });
  const messages = messagesByField(error);
  const missingPermissions = useMissingPermissions('updateUser');
  return (
    <SidePanel
      title={`Edit ${getDisplayName(currentUser.user)}`}
      isConfirming={editor.isConfirming}
      onClose={onClose}
    >
      {conflict ? (
        <Conflict noun="user" {...conflict} />
      ) : (
        <Form onSubmit={() => changes.length > 0 && editor.save()} actions={null}>
          <FormErrors messages={messagesWithoutField(error, SHOWN_FIELDS)} />
          <TextInput
            label="Name"
            maxLength={255}
            autoComplete="off"
            data-autofocus
            value={draft.name}
            error={messages.name}
            onChange={event => change({ name: event.target.value })}
          />
          <TextInput
            label="Email address"
            type="email"
            maxLength={254}
            autoComplete="off"
            value={draft.email}
            error={messages.email}
            onChange={event => change({ email: event.target.value })}
          />
          <NativeSelect
            label="Role"
            description={roles.find(({ name }) => name === draft.role)?.description}
            value={draft.role}
            error={messages.rootRole}
            data={[
              ...(roles.some(({ name }) => name === draft.role) ? [] : [draft.role]),
              ...listRoleOptions(roles).map(({ label }) => label),
            ]}
            onChange={event => change({ role: event.target.value })}
          />
          <SaveBar
            changes={changes}
            missingPermissions={missingPermissions}
            pending={editor.isPending}
            onSave={editor.save}
            onDiscard={() => {
              editor.discard();
              leave({ edit: undefined });
            }}
          />
        </Form>
      )}
      {confirmation}
    </SidePanel>
  );
}
