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
    ...partsOf(projectId).map(([key, part, path]) => ({
      keys: `g ${key}`,
      description: `Go to the ${part} of the project`,
      run: go(path),
    })),
  ]);
}

/** The pages of a project that a key opens. */
function partsOf(projectId: string | undefined): [string, string, string][] {
  if (projectId === undefined) return [];
  const base = `/projects/${encodeURIComponent(projectId)}`;
  return [
    ['h', 'health', `${base}/health`],
    ['a', 'applications', `${base}/applications`],
    ['s', 'settings', `${base}/settings`],
  ];
}
