import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';
import { ListPage } from '../ui/ListPage.tsx';
import { Cell } from '../ui/Row.tsx';
import { State } from '../ui/State.tsx';
import { type Role, rolesQuery } from './queries.ts';
import s from './roles.module.css';
import { describeRoleScope, isCustom } from './words.ts';

const getKey = ({ id }: Role): string => String(id);
const getSearchText = ({ name, description }: Role): string => `${name}\n${description}`;
const COLUMNS = [
  { label: 'Role', compare: (a: Role, b: Role) => a.name.localeCompare(b.name) },
  {
    label: 'Granted',
    compare: (a: Role, b: Role) => describeRoleScope(a).localeCompare(describeRoleScope(b)),
  },
  { label: 'Kind' },
];

const render = (role: Role) => (
  <>
    <Cell variant="name">
      <Link to="/admin/roles/$roleId" params={{ roleId: getKey(role) }}>
        {role.name}
      </Link>
      {role.description && <small>{role.description}</small>}
    </Cell>
    <Cell variant="dim">{describeRoleScope(role)}</Cell>
    <Cell>
      <State tone="off">{isCustom(role) ? 'Custom' : 'Built-in'}</State>
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
      getKey={getKey}
      getSearchText={getSearchText}
      placeholder="Name or description"
      columns={COLUMNS}
      className={s.columns}
      render={render}
      onOpen={useCallback(
        (role: Role) => void navigate({ to: '/admin/roles/$roleId', params: { roleId: getKey(role) } }),
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
