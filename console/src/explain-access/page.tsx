import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { can } from '../api/can.ts';
import { useMe } from '../api/me.ts';
import { getPermissionLabel } from '../roles/areas.ts';
import { environmentsQuery, projectsQuery } from '../shell/queries.ts';
import { CopyLink } from '../ui/Copy.tsx';
import { Failure } from '../ui/Failure.tsx';
import { Page } from '../ui/Page.tsx';
import { toProjectOptions } from '../ui/project-options.ts';
import { Skeleton } from '../ui/Skeleton.tsx';
import { getDisplayName } from '../users/words.ts';
import { type AccessQuery, parseQuery, withField } from './access-query.ts';
import { ExplanationView } from './Explanation.tsx';
import s from './explain-access.module.css';
import { accountsQuery, explanationQuery, INSTANCE_WIDE, permissionsQuery } from './queries.ts';

/** Explains why somebody may or may not do something, and what would change it. The URL contains the query. */
export function ExplainAccessPage() {
  const query = parseQuery(useSearch({ strict: false }));
  const { data: permissions } = useQuery(permissionsQuery);
  const { data, error, refetch } = useQuery(explanationQuery(query));
  const displayName = useDisplayName();
  return (
    <Page
      title="Explain access"
      actions={<CopyLink path={`/admin/explain-access?${new URLSearchParams({ ...query })}`} />}
      head={<p className={s.lead}>See why someone may or may not do something, and what would change it.</p>}
    >
      <div className={s.page}>
        <QueryForm query={query} permissions={permissions ?? []} />
        {error ? (
          <Failure error={error} onRetry={() => void refetch()} />
        ) : data ? (
          <ExplanationView
            explanation={{
              ...data,
              subject: { ...data.subject, name: displayName(data.subject.id) ?? data.subject.name },
            }}
          />
        ) : (
          <Skeleton />
        )}
      </div>
    </Page>
  );
}

/** Returns the display names of users and service accounts. The server names users by username or email address. */
function useDisplayName(): (id: number) => string | undefined {
  const me = useMe();
  const { data } = useQuery({ ...accountsQuery, enabled: can(me, 'getUsers') });
  return id => {
    if (id === me.user.id) return me.user.name;
    const user = data?.users.find(candidate => candidate.id === id);
    return user
      ? getDisplayName(user)
      : data?.serviceAccounts.find(serviceAccount => serviceAccount.id === id)?.name;
  };
}

type PermissionGroups = { group: string; items: { value: string; label: string }[] }[];

/** Edits the query. Only admins can choose a person, because other users may query only their own access. */
function QueryForm({ query, permissions }: { query: AccessQuery; permissions: PermissionGroups }) {
  const navigate = useNavigate();
  const { data: projects = [] } = useQuery(projectsQuery);
  const { data: environments } = useQuery(environmentsQuery);
  const choose = (field: keyof AccessQuery) => (event: { target: { value: string } }) =>
    void navigate({
      to: '/admin/explain-access',
      search: withField(query, field, event.target.value),
      replace: true,
    });
  // Selects a project as well, unless the permission concerns the instance, because most queries are about a project.
  const choosePermission = (event: { target: { value: string } }) => {
    const { value } = event.target;
    const group = permissions.find(({ items }) => items.some(item => item.value === value))?.group;
    const needsProject = group !== undefined && group !== INSTANCE_WIDE && query.project === undefined;
    const project = needsProject ? projects[0]?.id : undefined;
    void navigate({
      to: '/admin/explain-access',
      search: withField(project ? { ...query, project } : query, 'permission', value),
      replace: true,
    });
  };
  const isListed = permissions.some(({ items }) => items.some(({ value }) => value === query.permission));
  return (
    <div className={s.form}>
      <PersonSelect value={query.user ?? ''} onChange={choose('user')} />
      <NativeSelect
        label="may"
        value={query.permission ?? ''}
        data={[
          { value: '', label: query.project === undefined ? 'Log in and read' : 'Read' },
          ...(query.permission === undefined || isListed
            ? []
            : [{ value: query.permission, label: getPermissionLabel(query.permission) }]),
          ...permissions,
        ]}
        onChange={choosePermission}
      />
      <NativeSelect
        label="in project"
        value={query.project ?? ''}
        data={[{ value: '', label: 'Everywhere' }, ...toProjectOptions(projects)]}
        onChange={choose('project')}
      />
      <NativeSelect
        label="and environment"
        value={query.environment ?? ''}
        disabled={query.project === undefined}
        data={[
          { value: '', label: 'All environments' },
          ...(environments?.environments ?? []).map(({ name }) => name),
        ]}
        onChange={choose('environment')}
      />
    </div>
  );
}

function PersonSelect({
  value,
  onChange,
}: {
  value: string;
  onChange(event: { target: { value: string } }): void;
}) {
  const me = useMe();
  const { data } = useQuery({ ...accountsQuery, enabled: can(me, 'getUsers') });
  const otherUsers = (data?.users ?? [])
    .filter(({ id }) => id !== me.user.id)
    .toSorted((user, other) => getDisplayName(user).localeCompare(getDisplayName(other)));
  return (
    <NativeSelect
      label="Person"
      value={value === String(me.user.id) ? '' : value}
      data={[
        { value: '', label: `${me.user.name} (you)` },
        ...(otherUsers.length > 0
          ? [
              {
                group: 'Users',
                items: otherUsers.map(user => ({ value: String(user.id), label: getDisplayName(user) })),
              },
            ]
          : []),
        ...(data && data.serviceAccounts.length > 0
          ? [
              {
                group: 'Service accounts',
                items: data.serviceAccounts.map(({ id, name }) => ({ value: String(id), label: name })),
              },
            ]
          : []),
      ]}
      onChange={onChange}
    />
  );
}
