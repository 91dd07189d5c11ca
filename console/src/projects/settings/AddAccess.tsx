import '@mantine/core/styles/Checkbox.layer.css';
import { Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useState } from 'react';
import { otherMessages } from '../../api/errors.ts';
import { Failure } from '../../ui/Failure.tsx';
import { PanelForm } from '../../ui/PanelForm.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { toast } from '../../ui/toasts.ts';
import { useDraft } from '../../ui/useDraft.ts';
import { useUnsaved } from '../../ui/useUnsaved.tsx';
import { counted, formatNumber } from '../../ui/words.ts';
import type { ProjectDetails } from '../queries.ts';
import { type Access, candidatesQuery, grantRole } from './queries.ts';
import s from './settings.module.css';
import { isOwner, namesOf } from './words.ts';

/** How many are shown at most. To find others, search. */
const SHOWN = 50;

type Candidate = { key: string; name: string; note: string };
type Draft = { roleId?: number; chosen: string[] };

/** The panel that grants a role to several users and groups at a time. */
export function AddAccess({
  project,
  access,
  start,
  onClose,
}: {
  project: ProjectDetails;
  access: Access;
  /** What the URL chooses: the id of a user, and the id of a role. */
  start: { user?: string | undefined; role?: string | undefined };
  onClose(): void;
}) {
  const { data, error, refetch } = useQuery(candidatesQuery);
  const [typed, setTyped] = useState('');
  const { draft, isChanged, change, forget } = useDraft<Draft>(`access:${project.id}:${start.user ?? ''}`, {
    chosen: start.user === undefined ? [] : [`user-${start.user}`],
    ...(start.role !== undefined && { roleId: Number(start.role) }),
  });
  const usual = access.roles.find(role => role.type === 'project' && !isOwner(role)) ?? access.roles[0];
  const roleId = draft.roleId ?? usual?.id ?? 0;
  const role = access.roles.find(one => one.id === roleId);
  const candidates = data ? candidatesOf(data, access, roleId) : [];
  const chosen = candidates.filter(({ key }) => draft.chosen.includes(key));
  const words = typed.trim().toLowerCase();
  const matching = candidates.filter(({ name, note }) => `${name}\n${note}`.toLowerCase().includes(words));
  const idsOf = (kind: string) =>
    chosen.filter(({ key }) => key.startsWith(kind)).map(({ key }) => Number(key.slice(kind.length + 1)));
  const toggle = (key: string) =>
    change({
      chosen: draft.chosen.includes(key) ? draft.chosen.filter(one => one !== key) : [...draft.chosen, key],
    });
  const grant = useMutation({
    mutationFn: ({ users, groups }: { users: number[]; groups: number[] }) =>
      grantRole(project.id, { roles: [roleId], users, groups }),
    onSuccess: (_, { users, groups }) => {
      forget();
      toast({
        message: `Granted ${namesOf([roleId], access.roles)} to ${counted(users.length + groups.length, 'member')}.`,
      });
      onClose();
    },
  });
  const unsaved = useUnsaved(isChanged && chosen.length > 0 && !grant.isSuccess, forget);
  return (
    <PanelForm
      title={start.user === undefined ? 'Add access' : 'Grant a role'}
      action={chosen.length === 0 ? 'Add access' : `Add ${counted(chosen.length, 'member')}`}
      pending={grant.isPending}
      disabled={chosen.length === 0 || role === undefined}
      messages={otherMessages(grant.error, [])}
      {...unsaved}
      onSubmit={() => grant.mutate({ users: idsOf('user'), groups: idsOf('group') })}
      onClose={onClose}
    >
      <NativeSelect
        label="Role"
        description={role?.description}
        value={String(roleId)}
        data={access.roles.map(one => ({ value: String(one.id), label: one.name }))}
        onChange={event => {
          change({ roleId: Number(event.target.value) });
          grant.reset();
        }}
      />
      <TextInput
        label="Users and groups"
        placeholder="Name or email address"
        autoComplete="off"
        data-autofocus
        value={typed}
        onChange={event => setTyped(event.target.value)}
      />
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {!error && !data && <Skeleton rows={5} />}
      {data && (
        <fieldset className={s.candidates}>
          <legend className="sr">Users and groups</legend>
          {matching.slice(0, SHOWN).map(({ key, name, note }) => (
            <Checkbox
              key={key}
              label={name}
              description={note}
              checked={draft.chosen.includes(key)}
              onChange={() => toggle(key)}
            />
          ))}
          {matching.length === 0 && (
            <p className="muted">
              {words === '' ? `Everybody already has the role ${role?.name ?? ''}.` : 'Nobody matches.'}
            </p>
          )}
          {matching.length > SHOWN && (
            <p className="muted">{formatNumber(matching.length - SHOWN)} more. Type a part of the name.</p>
          )}
        </fieldset>
      )}
      {chosen.length > 0 && (
        <ul className={s.chosen} aria-label="Chosen">
          {chosen.map(({ key, name }) => (
            <li key={key}>
              {name}
              <button type="button" aria-label={`Remove ${name}`} onClick={() => toggle(key)}>
                <X size={12} />
              </button>
            </li>
          ))}
        </ul>
      )}
    </PanelForm>
  );
}

/** Everybody who does not have the role yet, groups first. */
function candidatesOf(
  { users, groups }: { users: Users; groups: Groups },
  access: Access,
  roleId: number,
): Candidate[] {
  const holders = new Set([
    ...access.users.filter(({ roles }) => roles.includes(roleId)).map(({ id }) => `user-${id}`),
    ...access.groups.filter(({ roles }) => roles.includes(roleId)).map(({ id }) => `group-${id}`),
  ]);
  return [
    ...groups.map(({ id, name, userCount }) => ({
      key: `group-${id}`,
      name,
      note: `Group, ${counted(userCount, 'member')}`,
    })),
    ...users.map(({ id, name, username, email }) => ({
      key: `user-${id}`,
      name: name || username || email || `User ${id}`,
      note: email || (name && username) || '',
    })),
  ].filter(({ key }) => !holders.has(key));
}

type Users = { id: number; name: string | null; username: string | null; email: string | null }[];
type Groups = { id: number; name: string; userCount: number }[];
