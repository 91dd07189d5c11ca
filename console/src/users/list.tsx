import '@mantine/core/styles/FloatingIndicator.layer.css';
import '@mantine/core/styles/SegmentedControl.layer.css';
import { SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { ListPage } from '../ui/ListPage.tsx';
import { useFilters } from '../ui/useFilters.ts';
import { formatNumber } from '../ui/words.ts';
import { DeleteInactive } from './DeleteInactive.tsx';
import { EditUserPanel } from './EditUser.tsx';
import { NewUserPanel } from './NewUser.tsx';
import { type User, usersQuery } from './queries.ts';
import { SetRoleDialog } from './SetRole.tsx';
import { UserDetail } from './UserDetail.tsx';
import { UserRow } from './UserRow.tsx';
import s from './users.module.css';
import { getDisplayName, INACTIVE_DAYS, isInactive, isInvited } from './words.ts';

const getKey = ({ id }: User): string => String(id);
const getSearchText = ({ name, username, email, groups }: User): string =>
  [name, username, email, ...groups].join('\n');

const COLUMNS = [
  { label: 'User', compare: (a: User, b: User) => getDisplayName(a).localeCompare(getDisplayName(b)) },
  { label: 'Role' },
  { label: 'Groups' },
  {
    label: 'Last seen',
    // The most recent comes first.
    compare: (a: User, b: User) => (b.seenAt ?? '').localeCompare(a.seenAt ?? ''),
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

/** Lists all users of the instance. The selected user is on the right, with what the user may do and why. */
export function UsersPage() {
  const { search, push, replace } = useFilters();
  const { data, error, refetch } = useQuery(usersQuery);
  const roles = data?.rootRoles;
  const [roleChange, setRoleChange] = useState<{ user: User; rootRole: number }>();
  const render = useCallback(
    (user: User) => (
      <UserRow user={user} roles={roles ?? []} onRole={rootRole => setRoleChange({ user, rootRole })} />
    ),
    [roles],
  );
  const chosenFilter = isFilter(search.filter) ? FILTERS[search.filter] : undefined;
  const filter = useMemo(
    () => chosenFilter && { ...chosenFilter, onRemove: () => push({ filter: undefined }) },
    [chosenFilter, push],
  );
  const selectedUser = data?.users.find(user => getKey(user) === search.user);
  const onActive = useCallback((user: User) => replace({ user: getKey(user) }), [replace]);
  const close = () => replace({ edit: undefined });
  return (
    <ListPage
      title="Users"
      noun="user"
      rows={data?.users}
      error={error}
      onRetry={() => void refetch()}
      getKey={getKey}
      getSearchText={getSearchText}
      placeholder="Name, email or group"
      columns={COLUMNS}
      className={s.columns}
      height={52}
      render={render}
      activeKey={typeof search.user === 'string' ? search.user : undefined}
      onActive={onActive}
      onOpen={onActive}
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
        selectedUser && (
          <UserDetail
            key={selectedUser.id}
            user={selectedUser}
            roles={roles ?? []}
            onEdit={() => push({ edit: getKey(selectedUser) })}
            onClose={() => replace({ user: undefined })}
          />
        )
      }
    >
      {roleChange && (
        <SetRoleDialog {...roleChange} roles={roles ?? []} onClose={() => setRoleChange(undefined)} />
      )}
      {search.edit === 'new' && <NewUserPanel roles={roles ?? []} onClose={close} />}
      {typeof search.edit === 'string' && /^\d+$/.test(search.edit) && roles && (
        <EditUserPanel key={search.edit} id={Number(search.edit)} roles={roles} onClose={close} />
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
  const renderLabel = (label: string, count: number | undefined) => (
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
        { value: 'all', label: renderLabel('All', users?.length) },
        ...Object.entries(FILTERS).map(([value, { label }], n) => ({
          value,
          label: renderLabel(label, counts[n]),
        })),
      ]}
      onChange={value => onChange({ filter: value === 'all' ? undefined : value })}
    />
  );
}
