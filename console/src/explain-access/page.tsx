import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { can } from '../api/can.ts';
import { useMe } from '../api/me.ts';
import { permissionLabel } from '../roles/areas.ts';
import { environmentsQuery, projectsQuery } from '../shell/queries.ts';
import { CopyLink } from '../ui/Copy.tsx';
import { Failure } from '../ui/Failure.tsx';
import { Page } from '../ui/Page.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import { nameOf } from '../users/words.ts';
import { ExplanationView } from './Explanation.tsx';
import s from './explain-access.module.css';
import { accountsQuery, explanationQuery, ON_INSTANCE, permissionsQuery } from './queries.ts';
import { type Question, questionOf, withChoice } from './question.ts';

/** Explains why somebody may or may not do something, and what would change it. The URL contains the question. */
export function ExplainAccessPage() {
  const question = questionOf(useSearch({ strict: false }));
  const { data: permissions } = useQuery(permissionsQuery);
  const { data, error, refetch } = useQuery(explanationQuery(question));
  const displayName = useDisplayName();
  return (
    <Page
      title="Explain access"
      actions={<CopyLink path={`/admin/explain-access?${new URLSearchParams({ ...question })}`} />}
      head={<p className={s.lead}>See why someone may or may not do something, and what would change it.</p>}
    >
      <div className={s.page}>
        <Ask question={question} permissions={permissions ?? []} />
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

/** The name that people know. The server decides by the username or the email address. */
function useDisplayName(): (id: number) => string | undefined {
  const me = useMe();
  const { data } = useQuery({ ...accountsQuery, enabled: can(me, 'getUsers') });
  return id => {
    if (id === me.user.id) return me.user.name;
    const user = data?.users.find(one => one.id === id);
    return user ? nameOf(user) : data?.serviceAccounts.find(one => one.id === id)?.name;
  };
}

type Options = { group: string; items: { value: string; label: string }[] }[];

/** The four choices. Only admins choose a person; others ask about themselves. */
function Ask({ question, permissions }: { question: Question; permissions: Options }) {
  const navigate = useNavigate();
  const { data: projects = [] } = useQuery(projectsQuery);
  const { data: environments } = useQuery(environmentsQuery);
  const choose = (field: keyof Question) => (event: { target: { value: string } }) =>
    void navigate({
      to: '/admin/explain-access',
      search: withChoice(question, field, event.target.value),
      replace: true,
    });
  // Every permission can be checked on the instance, but somebody who asks about flags means a project.
  const choosePermission = (event: { target: { value: string } }) => {
    const { value } = event.target;
    const group = permissions.find(({ items }) => items.some(item => item.value === value))?.group;
    const needsProject = group !== undefined && group !== ON_INSTANCE && question.project === undefined;
    const project = needsProject ? projects[0]?.id : undefined;
    void navigate({
      to: '/admin/explain-access',
      search: withChoice(project ? { ...question, project } : question, 'permission', value),
      replace: true,
    });
  };
  const known = permissions.some(({ items }) => items.some(({ value }) => value === question.permission));
  return (
    <div className={s.ask}>
      <PersonSelect value={question.user ?? ''} onChange={choose('user')} />
      <NativeSelect
        label="may"
        value={question.permission ?? ''}
        data={[
          { value: '', label: question.project === undefined ? 'Log in and read' : 'Read' },
          ...(question.permission === undefined || known
            ? []
            : [{ value: question.permission, label: permissionLabel(question.permission) }]),
          ...permissions,
        ]}
        onChange={choosePermission}
      />
      <NativeSelect
        label="in project"
        value={question.project ?? ''}
        data={[
          { value: '', label: 'The whole instance' },
          ...projects.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        onChange={choose('project')}
      />
      <NativeSelect
        label="and environment"
        value={question.environment ?? ''}
        disabled={question.project === undefined}
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
  const others = (data?.users ?? []).filter(({ id }) => id !== me.user.id);
  return (
    <NativeSelect
      label="Person"
      value={value === String(me.user.id) ? '' : value}
      data={[
        { value: '', label: `${me.user.name} (you)` },
        ...(others.length > 0
          ? [{ group: 'Users', items: others.map(one => ({ value: String(one.id), label: nameOf(one) })) }]
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
