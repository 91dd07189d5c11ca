import { NativeSelect, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { messagesByField, otherMessages } from '../api/errors.ts';
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
import { subjectOf, updateUser, userQuery } from './queries.ts';
import { type RootRole, roleNameOf, roleOptions } from './roles.ts';
import { nameOf } from './words.ts';

const FIELDS = ['name', 'email', 'rootRole'];

/** What the panel edits. The role is a name, so that people can read the list of changes. */
type Draft = { name: string; email: string; role: string };

/** The panel that edits the name, email address and root role of a user. */
export function EditUser({
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
        <Loading of={[{ error, refetch }]} rows={3} />
      </SidePanel>
    );
  return <Editor id={id} roles={roles} found={data} onClose={onClose} />;
}

type Found = { user: Parameters<typeof nameOf>[0] & { rootRole: number | null }; etag: string };

function Editor({
  id,
  roles,
  found,
  onClose,
}: {
  id: number;
  roles: readonly RootRole[];
  found: Found;
  onClose(): void;
}) {
  const client = useQueryClient();
  const { leave } = useFilters();
  const versionOf = ({ user, etag }: Found): Version<Draft> => ({
    draft: { name: user.name ?? '', email: user.email ?? '', role: roleNameOf(roles, user.rootRole) },
    etag,
  });
  const { draft, changes, change, error, conflict, question, ...editor } = useEditor<Draft>({
    thing: `user:${id}`,
    current: versionOf(found),
    read: async () => versionOf(await client.fetchQuery({ ...userQuery(id), staleTime: 0 })),
    save: ({ name, email, role }, etag) => {
      const rootRole = roles.find(one => one.name === role)?.id;
      return updateUser(
        id,
        { name: name.trim() || null, email: email.trim() || null, ...(rootRole && { rootRole }) },
        etag,
      );
    },
    findChange: () => findChange(subjectOf(id)),
    onSaved: async () => {
      toast({ message: 'User saved.' });
      leave({ edit: undefined, user: String(id) });
      return undefined;
    },
  });
  const messages = messagesByField(error);
  const missing = useMissingPermissions('updateUser');
  return (
    <SidePanel title={`Edit ${nameOf(found.user)}`} isAsking={editor.isAsking} onClose={onClose}>
      {conflict ? (
        <Conflict noun="user" {...conflict} />
      ) : (
        <Form onSubmit={() => changes.length > 0 && editor.save()} actions={null}>
          <FormErrors messages={otherMessages(error, FIELDS)} />
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
              ...roleOptions(roles).map(({ label }) => label),
            ]}
            onChange={event => change({ role: event.target.value })}
          />
          <SaveBar
            changes={changes}
            missing={missing}
            pending={editor.isPending}
            onSave={editor.save}
            onDiscard={() => {
              editor.discard();
              leave({ edit: undefined });
            }}
          />
        </Form>
      )}
      {question}
    </SidePanel>
  );
}
