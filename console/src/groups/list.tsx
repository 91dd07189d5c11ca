import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';
import { ListPage } from '../ui/ListPage.tsx';
import { Cell } from '../ui/Row.tsx';
import { Time } from '../ui/Time.tsx';
import { formatCount } from '../ui/words.ts';
import { usersQuery } from '../users/queries.ts';
import { getRoleName } from '../users/roles.ts';
import s from './groups.module.css';
import { type Group, groupsQuery } from './queries.ts';

const getKey = ({ id }: Group): string => String(id);
const getSearchText = ({ name, description, mappingsSSO, projects }: Group): string =>
  [name, description, ...mappingsSSO, ...projects].join('\n');

const COLUMNS = [
  { label: 'Group', compare: (a: Group, b: Group) => a.name.localeCompare(b.name) },
  { label: 'Members', compare: (a: Group, b: Group) => b.userCount - a.userCount },
  { label: 'Role of members' },
  { label: 'Projects' },
  {
    label: 'Created',
    compare: (a: Group, b: Group) => b.createdAt.localeCompare(a.createdAt),
  },
];

/** Lists all groups. */
export function GroupsPage() {
  const navigate = useNavigate();
  const { data, error, refetch } = useQuery(groupsQuery);
  const roles = useQuery(usersQuery).data?.rootRoles;
  const render = useCallback(
    (group: Group) => (
      <>
        <Cell variant="name">
          <Link to="/admin/groups/$groupId" params={{ groupId: getKey(group) }}>
            {group.name}
          </Link>
          {group.description && <small>{group.description}</small>}
        </Cell>
        <Cell variant="dim">{formatCount(group.userCount, 'member')}</Cell>
        <Cell variant="dim">
          {group.rootRole === null ? 'none' : getRoleName(roles ?? [], group.rootRole)}
        </Cell>
        <Cell variant="dim">{group.projects.join(', ') || 'none'}</Cell>
        <Cell variant="dim">
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
      getKey={getKey}
      getSearchText={getSearchText}
      placeholder="Name or project"
      columns={COLUMNS}
      className={s.columns}
      render={render}
      onOpen={group => void navigate({ to: '/admin/groups/$groupId', params: { groupId: getKey(group) } })}
      create={{
        label: 'New group',
        call: 'createGroup',
        run: () => void navigate({ to: '/admin/groups/new' }),
      }}
      empty="No groups yet. A group gives all its members the same roles."
    />
  );
}
