import { ActionIcon, Button, NativeSelect } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { useState } from 'react';
import { otherMessages } from '../api/errors.ts';
import { rolesQuery } from '../roles/queries.ts';
import { projectsQuery } from '../shell/queries.ts';
import { Can } from '../ui/Can.tsx';
import { Confirm } from '../ui/Confirm.tsx';
import { Failure, FormErrors } from '../ui/Failure.tsx';
import { RailSection } from '../ui/RailSection.tsx';
import { Time } from '../ui/Time.tsx';
import { toast } from '../ui/toasts.ts';
import s from './groups.module.css';
import { type Group, type GroupProject, groupProjectsQuery, setProjectRoles } from './queries.ts';

/** The roles of the group in projects. Each change is saved immediately, because it belongs to the project and not to the group. */
export function ProjectRoles({ group }: { group: Group }) {
  const { data, error, refetch } = useQuery(groupProjectsQuery(group.id));
  const [asked, ask] = useState<GroupProject>();
  return (
    <RailSection title="Roles in projects" count={data?.length} noun="project">
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {data?.length === 0 && <p className={s.words}>The group has no role in a project yet.</p>}
      {data && data.length > 0 && (
        <ul className={s.projects}>
          {data.map(project => (
            <li key={project.id}>
              <span>
                <Link to="/projects/$projectId" params={{ projectId: project.id }}>
                  {project.name}
                </Link>
                <small>
                  {project.roles.map(({ name }) => name).join(', ')}, since{' '}
                  <Time at={project.grantedAt} as="date" />
                </small>
              </span>
              <Can call="deleteProjectRolesOfGroup" project={project.id}>
                <ActionIcon aria-label={`Revoke the roles in ${project.name}`} onClick={() => ask(project)}>
                  <X size={14} />
                </ActionIcon>
              </Can>
            </li>
          ))}
        </ul>
      )}
      {data && <Grant group={group} granted={data} />}
      {asked && (
        <Confirm
          opened
          title={`Revoke the roles in ${asked.name}?`}
          action="Revoke roles"
          danger
          onConfirm={async () => {
            await setProjectRoles(group.id, asked.id, []);
            toast({ message: `Revoked the roles of ${group.name} in ${asked.name}.` });
          }}
          onClose={() => ask(undefined)}
        >
          <p>
            Members of {group.name} are no longer {asked.roles.map(({ name }) => name).join(' and ')} in{' '}
            {asked.name}, unless they have the role themselves.
          </p>
        </Confirm>
      )}
    </RailSection>
  );
}

function Grant({ group, granted }: { group: Group; granted: readonly GroupProject[] }) {
  const projects = useQuery(projectsQuery).data ?? [];
  const roles = (useQuery(rolesQuery).data ?? []).filter(
    ({ type }) => type === 'project' || type === 'custom',
  );
  const [project, setProject] = useState('');
  const [role, setRole] = useState('');
  const grant = useMutation({
    mutationFn: () => {
      const held = granted.find(({ id }) => id === project)?.roles.map(({ id }) => id) ?? [];
      return setProjectRoles(group.id, project, [...new Set([...held, Number(role)])]);
    },
    onSuccess: async () => {
      setProject('');
      setRole('');
    },
  });
  return (
    <div className={s.grant}>
      <FormErrors messages={otherMessages(grant.error, [])} />
      <NativeSelect
        aria-label="Project"
        value={project}
        data={[
          { value: '', label: 'Project…' },
          ...projects.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        onChange={event => setProject(event.target.value)}
      />
      <NativeSelect
        aria-label="Role in the project"
        value={role}
        data={[
          { value: '', label: 'Role…' },
          ...roles.map(({ id, name }) => ({ value: String(id), label: name })),
        ]}
        onChange={event => setRole(event.target.value)}
      />
      <Can call="setProjectRolesOfGroup" {...(project !== '' && { project })}>
        <Button
          loading={grant.isPending}
          disabled={project === '' || role === ''}
          onClick={() => grant.mutate()}
        >
          Grant
        </Button>
      </Can>
    </div>
  );
}
