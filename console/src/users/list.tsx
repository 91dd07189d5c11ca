import '@mantine/core/styles/FloatingIndicator.layer.css';
import '@mantine/core/styles/SegmentedControl.layer.css';
import { SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { ListPage } from '../ui/ListPage.tsx';
import { useFilters } from '../ui/useFilters.ts';
import { formatNumber } from '../ui/words.ts';
import { DeleteInactive } from './DeleteInactive.tsx';
import { EditUser } from './EditUser.tsx';
import { NewUser } from './NewUser.tsx';
import { type User, usersQuery } from './queries.ts';
import { SetRole } from './SetRole.tsx';
import { UserDetail } from './UserDetail.tsx';
import { UserRow } from './UserRow.tsx';
import s from './users.module.css';
import { INACTIVE_DAYS, isInactive, isInvited, nameOf } from './words.ts';

const keyOf = ({ id }: User): string => String(id);
const textOf = ({ name, username, email, groups }: User): string =>
  [name, username, email, ...groups].join('\n');

const COLUMNS = [
  { label: 'User', compare: (one: User, other: User) => nameOf(one).localeCompare(nameOf(other)) },
  { label: 'Role' },
  { label: 'Groups' },
  {
    label: 'Last seen',
    // Most recent first.
    compare: (one: User, other: User) => (other.seenAt ?? '').localeCompare(one.seenAt ?? ''),
  },
  { label: 'Status' },
];

const FILTERS = {
  inactive: { label: `Inactive for ${INACTIVE_DAYS} days`, matches: (user: User) => isInactive(user) },
  'no-role': { label: 'No role', matches: ({ rootRole }: User) => rootRole === null },
  invited: { label: 'Invited', matches: isInvited },
  deactivated: { label: 'Deactivated', matches: ({ deactivatedAt }: User) => deactivatedAt !== null },
} as const;

const isFilter = (name: unknown): name is keyof typeof FILTERS => typeof name === 'string' && name in FILTERS;

/** All users of the instance. The selected one is at the right, with what they may do and why. */
export function UsersPage() {
  const { search, push, replace } = useFilters();
  const { data, error, refetch } = useQuery(usersQuery);
  const roles = data?.rootRoles;
  const [change, setChange] = useState<{ user: User; rootRole: number }>();
  const render = useCallback(
    (user: User) => (
      <UserRow user={user} roles={roles ?? []} onRole={rootRole => setChange({ user, rootRole })} />
    ),
    [roles],
  );
  const chosen = isFilter(search.filter) ? FILTERS[search.filter] : undefined;
  const filter = useMemo(
    () => chosen && { ...chosen, onRemove: () => push({ filter: undefined }) },
    [chosen, push],
  );
  const selected = data?.users.find(user => keyOf(user) === search.user);
  const onActive = useCallback((user: User) => replace({ user: keyOf(user) }), [replace]);
  const close = () => replace({ edit: undefined });
  return (
    <ListPage
      title="Users"
      noun="user"
      rows={data?.users}
      error={error}
      onRetry={() => void refetch()}
      keyOf={keyOf}
      textOf={textOf}
      placeholder="Name, email or group"
      columns={COLUMNS}
      className={s.columns}
      height={52}
      render={render}
      active={typeof search.user === 'string' ? search.user : undefined}
      onActive={onActive}
      onOpen={user => push({ edit: keyOf(user), user: keyOf(user) })}
      create={{ label: 'New user', call: 'createUser', run: () => push({ edit: 'new' }) }}
      filters={
        <>
          <Filters users={data?.users} chosen={search.filter} onChange={push} />
          {search.filter === 'inactive' && <DeleteInactive />}
        </>
      }
      filter={filter}
      empty="No users."
      detail={
        selected && (
          <UserDetail
            key={selected.id}
            user={selected}
            roles={roles ?? []}
            onEdit={() => push({ edit: keyOf(selected) })}
            onClose={() => replace({ user: undefined })}
          />
        )
      }
    >
      {change && <SetRole {...change} roles={roles ?? []} onClose={() => setChange(undefined)} />}
      {search.edit === 'new' && <NewUser roles={roles ?? []} onClose={close} />}
      {typeof search.edit === 'string' && /^\d+$/.test(search.edit) && roles && (
        <EditUser key={search.edit} id={Number(search.edit)} roles={roles} onClose={close} />
      )}
    </ListPage>
  );
}

function Filters({
  users,
  chosen,
  onChange,
}: {
  users: readonly User[] | undefined;
  chosen: unknown;
  onChange(change: { filter: string | undefined }): void;
}) {
  const counts = useMemo(
    () => Object.values(FILTERS).map(({ matches }) => users?.filter(matches).length),
    [users],
  );
  const labelOf = (label: string, count: number | undefined) => (
    <>
      {label} {count !== undefined && <em className={s.count}>{formatNumber(count)}</em>}
    </>
  );
  return (
    <SegmentedControl
      aria-label="Filter"
      className={s.filters}
      value={isFilter(chosen) ? chosen : 'all'}
      data={[
        { value: 'all', label: labelOf('All', users?.length) },
        ...Object.entries(FILTERS).map(([value, { label }], n) => ({
          value,
          label: labelOf(label, counts[n]),
        })),
      ]}
      onChange={value => onChange({ filter: value === 'all' ? undefined : value })}
    />
  );
}
