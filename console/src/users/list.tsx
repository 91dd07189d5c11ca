import { useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { ListPage } from '../ui/ListPage.tsx';
import { Person } from '../ui/Person.tsx';
import { Cell } from '../ui/Row.tsx';
import { Time } from '../ui/Time.tsx';
import { type User, usersQuery } from './queries.ts';
import s from './users.module.css';
import { loginOf, nameOf } from './words.ts';

const keyOf = ({ id }: User): string => String(id);
const textOf = ({ name, username, email }: User): string => `${name}\n${username}\n${email}`;
const COLUMNS = [
  { label: 'User', compare: (one: User, other: User) => nameOf(one).localeCompare(nameOf(other)) },
  { label: 'Role' },
  {
    label: 'Last login',
    compare: (one: User, other: User) => (one.seenAt ?? '').localeCompare(other.seenAt ?? ''),
  },
];

/** All users of the instance. */
export function UsersPage() {
  const { data, error, refetch } = useQuery(usersQuery);
  const roles = data?.rootRoles;
  const render = useCallback(
    (user: User) => (
      <>
        <Cell className={s.user}>
          <Person name={nameOf(user)} size={24} />
          <span>
            <b>{nameOf(user)}</b>
            <small>{loginOf(user)}</small>
          </span>
        </Cell>
        <Cell as="dim">{roles?.find(({ id }) => id === user.rootRole)?.name ?? 'No role'}</Cell>
        <Cell as="dim">{user.seenAt ? <Time at={user.seenAt} /> : 'never'}</Cell>
      </>
    ),
    [roles],
  );
  return (
    <ListPage
      title="Users"
      noun="user"
      rows={data?.users}
      error={error}
      onRetry={() => void refetch()}
      keyOf={keyOf}
      textOf={textOf}
      placeholder="Name or email"
      columns={COLUMNS}
      className={s.columns}
      height={52}
      render={render}
      about={{ href: '/docs/#tag/users', label: 'About users' }}
      empty="No users."
    />
  );
}
