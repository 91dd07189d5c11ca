import { ActionIcon } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { useState } from 'react';
import { GrantRole } from '../projects/settings/GrantRole.tsx';
import { revokeRoles } from '../projects/settings/queries.ts';
import { projectsQuery } from '../shell/queries.ts';
import { Can } from '../ui/Can.tsx';
import { Confirm } from '../ui/Confirm.tsx';
import { escapeText } from '../ui/caller-text.ts';
import { Failure } from '../ui/Failure.tsx';
import { RailSection } from '../ui/RailSection.tsx';
import { Time } from '../ui/Time.tsx';
import { toast } from '../ui/toasts.ts';
import s from './groups.module.css';
import { type Group, type GroupProject, groupProjectsQuery } from './queries.ts';

/** Shows the group's roles in projects. Revoking is saved immediately, because the roles belong to the project rather than to the group. */
export function ProjectRoles({ group }: { group: Group }) {
  const { data, error, refetch } = useQuery(groupProjectsQuery(group.id));
  const projects = useQuery(projectsQuery).data ?? [];
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
                  {project.roles.map(({ name }) => escapeText(name)).join(', ')}, since{' '}
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
      <GrantRole member={{ kind: 'group', id: group.id }} projects={projects} />
      {revokedProject && (
        <Confirm
          opened
          title={`Revoke the roles in ${revokedProject.name}?`}
          action="Revoke roles"
          danger
          onConfirm={async () => {
            await revokeRoles(revokedProject.id, { kind: 'group', id: group.id });
            toast({ message: `Revoked the roles of ${group.name} in ${revokedProject.name}.` });
          }}
          onClose={() => setRevokedProject(undefined)}
        >
          <p>
            Members of {escapeText(group.name)} are no longer{' '}
            {revokedProject.roles.map(({ name }) => escapeText(name)).join(' and ')} in{' '}
            {escapeText(revokedProject.name)}, unless they have the role themselves.
          </p>
        </Confirm>
      )}
    </RailSection>
  );
}
