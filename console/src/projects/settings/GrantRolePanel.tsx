import '@mantine/core/styles/Checkbox.layer.css';
import { Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { type KeyboardEvent, useState } from 'react';
import { can } from '../../api/can.ts';
import { messagesWithoutField } from '../../api/errors.ts';
import { useMe } from '../../api/me.ts';
import { serviceAccountsQuery } from '../../service-accounts/queries.ts';
import { escapeText } from '../../ui/caller-text.ts';
import { Failure } from '../../ui/Failure.tsx';
import { PanelForm } from '../../ui/PanelForm.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { toast } from '../../ui/toasts.ts';
import { useDraft } from '../../ui/useDraft.ts';
import { useUnsaved } from '../../ui/useUnsaved.tsx';
import { formatCount, formatNumber } from '../../ui/words.ts';
import type { ProjectDetails } from '../queries.ts';
import { type Access, candidatesQuery, grantRole } from './queries.ts';
import s from './settings.module.css';
import { formatRoleNames, isOwner } from './words.ts';

/** The maximum number of candidates shown. The search finds the others. */
const MAX_SHOWN = 50;

type Candidate = { key: string; name: string; note: string; hasRole: boolean };
type Draft = { roleId?: number; chosen: string[] };

/** The panel that grants a role to several users and groups at a time. */
export function GrantRolePanel({
  project,
  access,
  preselection,
  onClose,
}: {
  project: ProjectDetails;
  access: Access;
  /** The ids of the user or group and of the role that the URL preselects. */
  preselection: { user?: string | undefined; group?: string | undefined; role?: string | undefined };
  onClose(): void;
}) {
  const { data, error, refetch } = useQuery(candidatesQuery);
  const me = useMe();
  const serviceAccounts = useQuery({ ...serviceAccountsQuery, enabled: can(me, 'getServiceAccounts') }).data
    ?.serviceAccounts;
  const [typedText, setTyped] = useState('');
  const preselectedKeys = (['user', 'group'] as const).flatMap(kind =>
    preselection[kind] === undefined ? [] : [`${kind}-${preselection[kind]}`],
  );
  const { draft, isChanged, change, forget } = useDraft<Draft>(
    `access:${project.id}:${preselectedKeys.join()}`,
    {
      chosen: preselectedKeys,
      ...(preselection.role !== undefined && { roleId: Number(preselection.role) }),
    },
  );
  const defaultRole = access.roles.find(role => role.type === 'project' && !isOwner(role)) ?? access.roles[0];
  const roleId = draft.roleId ?? defaultRole?.id ?? 0;
  const role = access.roles.find(role => role.id === roleId);
  const candidates = data ? listCandidates({ ...data, serviceAccounts }, access, roleId) : [];
  const chosenCandidates = candidates.filter(({ key, hasRole }) => draft.chosen.includes(key) && !hasRole);
  const searchText = typedText.trim().toLowerCase();
  const matchingCandidates = candidates.filter(({ name, note }) =>
    `${name}\n${note}`.toLowerCase().includes(searchText),
  );
  const listIds = (kind: string) =>
    chosenCandidates
      .filter(({ key }) => key.startsWith(kind))
      .map(({ key }) => Number(key.slice(kind.length + 1)));
  const toggle = (key: string) =>
    change({
      chosen: draft.chosen.includes(key)
        ? draft.chosen.filter(other => other !== key)
        : [...draft.chosen, key],
    });
  /** Chooses the only match on Enter, which submits the form only if no text is typed. */
  const chooseOnlyMatch = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key !== 'Enter' || event.nativeEvent.isComposing || searchText === '') return;
    event.preventDefault();
    const [match, ...otherMatches] = matchingCandidates;
    if (!match || otherMatches.length > 0 || match.hasRole || draft.chosen.includes(match.key)) return;
    toggle(match.key);
    // The next name replaces this one.
    event.currentTarget.select();
  };
  const grant = useMutation({
    mutationFn: ({ users, groups }: { users: number[]; groups: number[]; names: string }) =>
      grantRole(project.id, { roles: [roleId], users, groups }),
    onSuccess: (_, { names }) => {
      forget();
      toast({ message: `Granted ${formatRoleNames([roleId], access.roles)} to ${names}.` });
      onClose();
    },
  });
  const unsaved = useUnsaved(isChanged && chosenCandidates.length > 0 && !grant.isSuccess, forget);
  return (
    <PanelForm
      title={`Grant a role in ${project.name}`}
      action={
        chosenCandidates.length > 1
          ? `Grant role to ${formatCount(chosenCandidates.length, 'member')}`
          : 'Grant role'
      }
      pending={grant.isPending}
      problems={chosenCandidates.length === 0 ? ['Choose a user or group.'] : []}
      messages={messagesWithoutField(grant.error, [])}
      {...unsaved}
      onSubmit={() =>
        grant.mutate({
          users: listIds('user'),
          groups: listIds('group'),
          names:
            (chosenCandidates.length === 1 && chosenCandidates[0]?.name) ||
            formatCount(chosenCandidates.length, 'member'),
        })
      }
      onClose={onClose}
    >
      <NativeSelect
        label="Role"
        description={role?.description}
        value={String(roleId)}
        data={access.roles.map(({ id, name }) => ({ value: String(id), label: name }))}
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
        value={typedText}
        onChange={event => setTyped(event.target.value)}
        onKeyDown={chooseOnlyMatch}
      />
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {!error && !data && <Skeleton rows={5} />}
      {data && (
        <fieldset className={s.candidates}>
          <legend className="sr">Users and groups</legend>
          {matchingCandidates.slice(0, MAX_SHOWN).map(({ key, name, note, hasRole }) => (
            <Checkbox
              key={key}
              label={name}
              description={hasRole ? [note, 'has this role'].filter(Boolean).join(' · ') : note}
              checked={hasRole || draft.chosen.includes(key)}
              disabled={hasRole}
              onChange={() => toggle(key)}
            />
          ))}
          {matchingCandidates.length === 0 && <p className="muted">Nobody matches.</p>}
          {candidates.every(({ hasRole }) => hasRole) && (
            <p className="muted">Everybody already has the {escapeText(role?.name ?? '')} role.</p>
          )}
          {matchingCandidates.length > MAX_SHOWN && (
            <p className="muted">
              {formatNumber(matchingCandidates.length - MAX_SHOWN)} more. Type part of the name.
            </p>
          )}
        </fieldset>
      )}
      {chosenCandidates.length > 0 && (
        <ul className={s.chosen} aria-label="Chosen">
          {chosenCandidates.map(({ key, name }) => (
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

/** Returns everybody who can have the role, and whether they already have it. Groups come first. */
function listCandidates(
  { users, groups, serviceAccounts = [] }: PossibleMembers,
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
      note: `Group, ${formatCount(userCount, 'member')}`,
    })),
    ...users
      .map(({ id, name, username, email }) => ({
        key: `user-${id}`,
        name: name || username || email || `User ${id}`,
        note: email || (name && username) || '',
      }))
      .toSorted((candidate, other) => candidate.name.localeCompare(other.name)),
    ...serviceAccounts.map(({ id, name }) => ({ key: `user-${id}`, name, note: 'Service account' })),
  ].map(candidate => ({ ...candidate, hasRole: holders.has(candidate.key) }));
}

type PossibleMembers = {
  users: Users;
  groups: Groups;
  /** Only admins can list the service accounts. */
  serviceAccounts: { id: number; name: string }[] | undefined;
};
type Users = { id: number; name: string | null; username: string | null; email: string | null }[];
type Groups = { id: number; name: string; userCount: number }[];
