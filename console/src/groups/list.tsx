import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';
import { ListPage } from '../ui/ListPage.tsx';
import { Cell } from '../ui/Row.tsx';
import { Time } from '../ui/Time.tsx';
import { counted } from '../ui/words.ts';
import { usersQuery } from '../users/queries.ts';
import { roleNameOf } from '../users/roles.ts';
import s from './groups.module.css';
import { type Group, groupsQuery } from './queries.ts';

const keyOf = ({ id }: Group): string => String(id);
const textOf = ({ name, description, mappingsSSO, projects }: Group): string =>
  [name, description, ...mappingsSSO, ...projects].join('\n');

const COLUMNS = [
  { label: 'Group', compare: (one: Group, other: Group) => one.name.localeCompare(other.name) },
  { label: 'Members', compare: (one: Group, other: Group) => other.userCount - one.userCount },
  { label: 'Root role' },
  { label: 'Projects' },
  {
    label: 'Created',
    compare: (one: Group, other: Group) => other.createdAt.localeCompare(one.createdAt),
  },
];

/** All groups of the instance. */
export function GroupsPage() {
  const navigate = useNavigate();
  const { data, error, refetch } = useQuery(groupsQuery);
  const roles = useQuery(usersQuery).data?.rootRoles;
  const render = useCallback(
    (group: Group) => (
      <>
        <Cell as="name">
          <Link to="/admin/groups/$groupId" params={{ groupId: keyOf(group) }}>
            {group.name}
          </Link>
          {group.description && <small>{group.description}</small>}
        </Cell>
        <Cell as="dim">{counted(group.userCount, 'member')}</Cell>
        <Cell as="dim">{group.rootRole === null ? 'none' : roleNameOf(roles ?? [], group.rootRole)}</Cell>
        <Cell as="dim">{group.projects.join(', ') || 'none'}</Cell>
        <Cell as="dim">
          {group.createdBy}, <Time at={group.createdAt} />
        </Cell>
      </>
    ),
    [roles],
  );
  return (
    <ListPage
      title="Groups"
      noun="group"
      rows={data}
      error={error}
      onRetry={() => void refetch()}
      keyOf={keyOf}
      textOf={textOf}
      placeholder="Name or project"
      columns={COLUMNS}
      className={s.columns}
      render={render}
      onOpen={group => void navigate({ to: '/admin/groups/$groupId', params: { groupId: keyOf(group) } })}
      create={{
        label: 'New group',
        call: 'createGroup',
        run: () => void navigate({ to: '/admin/groups/new' }),
      }}
      empty="No groups yet. A group gives all its members the same roles."
    />
  );
}
