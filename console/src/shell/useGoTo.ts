import { useNavigate, useParams } from '@tanstack/react-router';
import { useShortcuts } from '../ui/shortcuts.ts';

/** Registers shortcuts that open a page with G and a second key. */
export function useGoTo(): void {
  const navigate = useNavigate();
  const { projectId } = useParams({ strict: false });
  const openPage = (to: string) => () => void navigate({ to });
  useShortcuts([
    { keys: 'g f', description: 'Go to the flags', run: openPage('/flags') },
    { keys: 'g e', description: 'Go to the events', run: openPage('/events') },
    { keys: 'g i', description: 'Go to the integrations', run: openPage('/integrations') },
    { keys: 'g p', description: 'Go to the projects', run: openPage('/projects') },
    ...listProjectPages(projectId).map(([key, part, path]) => ({
      keys: `g ${key}`,
      description: `Go to the project's ${part}`,
      run: openPage(path),
    })),
  ]);
}

/** Returns the project pages that have a shortcut. */
function listProjectPages(projectId: string | undefined): [string, string, string][] {
  if (projectId === undefined) return [];
  const base = `/projects/${encodeURIComponent(projectId)}`;
  return [
    ['h', 'health', `${base}/health`],
    ['a', 'applications', `${base}/applications`],
    ['s', 'settings', `${base}/settings`],
  ];
}
