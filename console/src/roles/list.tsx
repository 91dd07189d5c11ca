import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';
import { ListPage } from '../ui/ListPage.tsx';
import { Cell } from '../ui/Row.tsx';
import { State } from '../ui/State.tsx';
import { type Role, rolesQuery } from './queries.ts';
import s from './roles.module.css';
import { isCustom, scopeOf } from './words.ts';

const keyOf = ({ id }: Role): string => String(id);
const textOf = ({ name, description }: Role): string => `${name}\n${description}`;
const COLUMNS = [
  { label: 'Role', compare: (one: Role, other: Role) => one.name.localeCompare(other.name) },
  { label: 'Granted', compare: (one: Role, other: Role) => scopeOf(one).localeCompare(scopeOf(other)) },
  { label: 'Kind' },
];

const render = (role: Role) => (
  <>
    <Cell as="name">
      <Link to="/admin/roles/$roleId" params={{ roleId: keyOf(role) }}>
        {role.name}
      </Link>
      {role.description && <small>{role.description}</small>}
    </Cell>
    <Cell as="dim">{scopeOf(role)}</Cell>
    <Cell>
      <State tone="off">{isCustom(role) ? 'Custom' : 'Built in'}</State>
    </Cell>
  </>
);

/** The built-in and custom roles. */
export function RolesPage() {
  const navigate = useNavigate();
  const { data, error, refetch } = useQuery(rolesQuery);
  return (
    <ListPage
      title="Roles"
      noun="role"
      rows={data}
      error={error}
      onRetry={() => void refetch()}
      keyOf={keyOf}
      textOf={textOf}
      placeholder="Name or description"
      columns={COLUMNS}
      className={s.columns}
      render={render}
      onOpen={useCallback(
        (role: Role) => void navigate({ to: '/admin/roles/$roleId', params: { roleId: keyOf(role) } }),
        [navigate],
      )}
      create={{
        label: 'New role',
        call: 'createRole',
        run: () => void navigate({ to: '/admin/roles/new' }),
      }}
      empty="No roles."
    />
  );
}
