import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import { messagesByField, messagesWithoutField } from '../api/errors.ts';
import { FormErrors } from '../ui/Failure.tsx';
import { listRoleOptions, type RootRole } from '../users/roles.ts';
import { type Draft, NO_ROLE } from './draft.ts';
import s from './groups.module.css';
import { Members } from './Members.tsx';

const SHOWN_FIELDS = ['name', 'description', 'rootRole', 'mappingsSSO'];

/** Edits a group's name, root role, identity provider mappings and members. */
export function GroupForm({
  draft,
  roles,
  error,
  onChange,
}: {
  draft: Draft;
  roles: readonly RootRole[];
  error: unknown;
  onChange(part: Partial<Draft>): void;
}) {
  const messages = messagesByField(error);
  return (
    <>
      <FormErrors messages={messagesWithoutField(error, SHOWN_FIELDS)} />
      <div className={s.pair}>
        <TextInput
          label="Name"
          required
          autoFocus={draft.name === ''}
          maxLength={100}
          autoComplete="off"
          value={draft.name}
          error={messages.name}
          onChange={event => onChange({ name: event.target.value })}
        />
        <NativeSelect
          label="Role of all members on this instance"
          value={draft.role}
          error={messages.rootRole}
          data={[NO_ROLE, ...listRoleOptions(roles).map(({ label }) => label)]}
          onChange={event => onChange({ role: event.target.value })}
        />
      </div>
      <Textarea
        label="Description"
        rows={2}
        maxLength={500}
        value={draft.description}
        error={messages.description}
        onChange={event => onChange({ description: event.target.value })}
      />
      <Textarea
        label="Identity provider groups"
        description="One name per line. At login, single sign-on adds members of these groups, and removes users who are no longer members."
        rows={2}
        maxLength={25_600}
        spellCheck={false}
        classNames={{ input: 'mono' }}
        value={draft.mappings}
        error={messages.mappingsSSO}
        onChange={event => onChange({ mappings: event.target.value })}
      />
      <Members members={draft.members} onChange={members => onChange({ members })} />
    </>
  );
}
