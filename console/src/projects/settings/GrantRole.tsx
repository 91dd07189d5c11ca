import { useNavigate } from '@tanstack/react-router';
import { can } from '../../api/can.ts';
import { useMe } from '../../api/me.ts';
import { Select } from '../../ui/Choices.tsx';
import { toProjectOptions } from '../../ui/project-options.ts';
import type { Member } from './queries.ts';

/** Opens a project's panel for granting a role, with the user or group already selected. */
export function GrantRole({
  member: { kind, id },
  projects,
}: {
  member: Member;
  projects: readonly { id: string; name: string }[];
}) {
  const me = useMe();
  const navigate = useNavigate();
  const choices = projects.filter(project => can(me, 'addProjectAccess', { project: project.id }));
  if (choices.length === 0) return null;
  return (
    <Select
      mt={16}
      label="Grant a role in a project"
      placeholder="Name of the project"
      searchable
      limit={50}
      value={null}
      data={toProjectOptions(choices)}
      nothingFoundMessage="No projects match"
      onChange={projectId => {
        if (projectId !== null)
          void navigate({
            to: '/projects/$projectId/settings/access',
            params: { projectId },
            search: { edit: 'new', [kind]: String(id) },
          });
      }}
    />
  );
}
