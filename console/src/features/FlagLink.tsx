import { Link } from '@tanstack/react-router';

/** Links to a flag's page. */
export function FlagLink({ project, name }: { project: string; name: string }) {
  return (
    <Link
      to="/projects/$projectId/features/$featureName"
      params={{ projectId: project, featureName: name }}
      className="mono"
    >
      {name}
    </Link>
  );
}
