import { useNavigate, useParams } from '@tanstack/react-router';
import { useShortcuts } from '../ui/shortcuts.ts';

/** G and a second key go to a page. */
export function useGoTo(): void {
  const navigate = useNavigate();
  const { projectId } = useParams({ strict: false });
  const go = (to: string) => () => void navigate({ to });
  useShortcuts([
    { keys: 'g f', description: 'Go to the flags', run: go('/flags') },
    { keys: 'g e', description: 'Go to the events', run: go('/events') },
    { keys: 'g i', description: 'Go to the integrations', run: go('/integrations') },
    { keys: 'g p', description: 'Go to the projects', run: go('/projects') },
    projectId !== undefined && {
      keys: 'g h',
      description: 'Go to the health of the project',
      run: go(`/projects/${encodeURIComponent(projectId)}/health`),
    },
  ]);
}
