import { ActionIcon, Button, NativeSelect } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { useState } from 'react';
import { messagesWithoutField } from '../api/errors.ts';
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

/** Shows the group's roles in projects. Each change is saved immediately, because it belongs to the project rather than to the group. */
export function ProjectRoles({ group }: { group: Group }) {
  const { data, error, refetch } = useQuery(groupProjectsQuery(group.id));
  const [revokedProject, setRevokedProject] = useState<GroupProject>();
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
                  <Time at={project.grantedAt} format="date" />
                </small>
              </span>
              <Can call="deleteProjectRolesOfGroup" project={project.id}>
                <ActionIcon
                  aria-label={`Revoke the roles in ${project.name}`}
                  onClick={() => setRevokedProject(project)}
                >
                  <X size={14} />
                </ActionIcon>
              </Can>
            </li>
          ))}
        </ul>
      )}
      {data && <GrantForm group={group} currentProjects={data} />}
      {revokedProject && (
        <Confirm
          opened
          title={`Revoke the roles in ${revokedProject.name}?`}
          action="Revoke roles"
          danger
          onConfirm={async () => {
            await setProjectRoles(group.id, revokedProject.id, []);
            toast({ message: `Revoked the roles of ${group.name} in ${revokedProject.name}.` });
          }}
          onClose={() => setRevokedProject(undefined)}
        >
          <p>
            Members of {group.name} are no longer {revokedProject.roles.map(({ name }) => name).join(' and ')}{' '}
            in {revokedProject.name}, unless they have the role themselves.
          </p>
        </Confirm>
      )}
    </RailSection>
  );
}

function GrantForm({ group, currentProjects }: { group: Group; currentProjects: readonly GroupProject[] }) {
  const projects = useQuery(projectsQuery).data ?? [];
  const roles = (useQuery(rolesQuery).data ?? []).filter(
    ({ type }) => type === 'project' || type === 'custom',
  );
  const [projectId, setProjectId] = useState('');
  const [role, setRole] = useState('');
  const currentRoles = currentProjects.find(({ id }) => id === projectId)?.roles.map(({ id }) => id) ?? [];
  const grant = useMutation({
    mutationFn: () => setProjectRoles(group.id, projectId, [...new Set([...currentRoles, Number(role)])]),
    onSuccess: async () => {
      setProjectId('');
      setRole('');
    },
  });
  return (
    <div className={s.grant}>
      <FormErrors messages={messagesWithoutField(grant.error, [])} />
      <NativeSelect
        aria-label="Project"
        value={projectId}
        data={[
          { value: '', label: 'Project…' },
          ...projects.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        onChange={event => {
          setProjectId(event.target.value);
          setRole('');
        }}
      />
      <NativeSelect
        aria-label="Role in the project"
        value={role}
        data={[
          { value: '', label: 'Role…' },
          ...roles.map(({ id, name }) => {
            const isHeld = currentRoles.includes(id);
            return { value: String(id), label: isHeld ? `${name} (has this role)` : name, disabled: isHeld };
          }),
        ]}
        onChange={event => setRole(event.target.value)}
      />
      <Can call="setProjectRolesOfGroup" {...(projectId !== '' && { project: projectId })}>
        <Button
          loading={grant.isPending}
          disabled={projectId === '' || role === ''}
          onClick={() => grant.mutate()}
        >
          Grant
        </Button>
      </Can>
    </div>
  );
}
