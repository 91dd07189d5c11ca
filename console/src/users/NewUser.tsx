import { NativeSelect, TextInput } from '@mantine/core';
import { messagesByField, messagesWithoutField } from '../api/errors.ts';
import { PanelForm } from '../ui/PanelForm.tsx';
import { Secret } from '../ui/Secret.tsx';
import { toast } from '../ui/toasts.ts';
import { useCreation } from '../ui/useCreation.ts';
import { useFilters } from '../ui/useFilters.ts';
import { createUser } from './queries.ts';
import { listRoleOptions, type RootRole } from './roles.ts';
import s from './users.module.css';
import { getDisplayName } from './words.ts';

const SHOWN_FIELDS = ['name', 'email', 'username', 'rootRole'];
const EMPTY = { name: '', email: '', username: '', rootRole: '3' };

/** The panel that creates a user. The user sets the password with a link, which the server shows once or sends by email. */
export function NewUserPanel({ roles, onClose }: { roles: readonly RootRole[]; onClose(): void }) {
  const { leave } = useFilters();
  const {
    draft,
    edit,
    submit,
    result: createdUser,
    error,
    isPending,
    unsaved,
  } = useCreation({
    draftKey: 'new-user',
    empty: EMPTY,
    send: ({ name, email, username, rootRole }) =>
      createUser({
        name: name.trim() || null,
        email: email.trim() || null,
        username: username.trim() || null,
        rootRole: Number(rootRole),
      }),
    onSent: ({ id, inviteLink, ...user }) => {
      if (inviteLink !== undefined && !user.emailSent) return;
      toast({
        message: user.emailSent
          ? `Created ${getDisplayName({ id, ...user })}. The link was sent to ${user.email}.`
          : `Created ${getDisplayName({ id, ...user })}.`,
      });
      leave({ edit: undefined, user: String(id) });
    },
  });
  const messages = messagesByField(error);
  if (createdUser?.inviteLink !== undefined && !createdUser.emailSent)
    return (
      <Secret
        title={`Invitation link for ${getDisplayName(createdUser)}`}
        secret={createdUser.inviteLink}
        label="Copy link"
        confirmation="I have sent it"
        use={
          <p className={s.next}>
            Next, you can see what {getDisplayName(createdUser)} may do in each project, and grant roles.
          </p>
        }
        onStored={() => leave({ edit: undefined, user: String(createdUser.id) })}
      >
        {`Send this link to ${getDisplayName(createdUser)}, who uses it to set a password. It can be used once, within 7 days. Halyard does not show it again.`}
      </Secret>
    );
  return (
    <PanelForm
      title="New user"
      action="Create user"
      pending={isPending}
      problems={
        draft.email.trim() === '' && draft.username.trim() === ''
          ? ['Enter an email address or a username.']
          : []
      }
      messages={messagesWithoutField(error, SHOWN_FIELDS)}
      {...unsaved}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        maxLength={255}
        autoComplete="off"
        data-autofocus
        value={draft.name}
        error={messages.name}
        onChange={event => edit({ name: event.target.value })}
      />
      <TextInput
        label="Email address"
        description="Identifies the user in single sign-on. An email address or a username is required."
        type="email"
        maxLength={254}
        autoComplete="off"
        value={draft.email}
        error={messages.email}
        onChange={event => edit({ email: event.target.value })}
      />
      <TextInput
        label="Username"
        description="For logging in without an email address. It cannot be changed later."
        maxLength={100}
        autoComplete="off"
        spellCheck={false}
        value={draft.username}
        error={messages.username}
        onChange={event => edit({ username: event.target.value })}
      />
      <NativeSelect
        label="Role on this instance"
        description={`${roles.find(({ id }) => String(id) === draft.rootRole)?.description ?? ''}. Every user can read the projects that are not private. Next, you can grant roles in individual projects.`}
        value={draft.rootRole}
        error={messages.rootRole}
        data={listRoleOptions(roles)}
        onChange={event => edit({ rootRole: event.target.value })}
      />
    </PanelForm>
  );
}
