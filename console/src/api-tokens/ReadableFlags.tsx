import { useQuery } from '@tanstack/react-query';
import { projectsQuery } from '../shell/queries.ts';
import { RailSection } from '../ui/RailSection.tsx';
import { formatCount } from '../ui/words.ts';
import s from './api-tokens.module.css';

/** Shows how many flags a token can read in its environment. */
export function ReadableFlags({
  projects,
  environment,
  type,
}: {
  projects: readonly string[];
  environment: string;
  type: 'backend' | 'frontend';
}) {
  const allProjects = useQuery(projectsQuery).data;
  if (!allProjects) return null;
  const readableProjects =
    projects.length === 0 ? allProjects : allProjects.filter(({ id }) => projects.includes(id));
  const count = readableProjects.reduce((sum, { featureCount }) => sum + featureCount, 0);
  const names = projects.length === 0 ? 'all projects' : readableProjects.map(({ name }) => name).join(', ');
  return (
    <RailSection title="What it can read">
      <p className={s.none}>
        <b>{formatCount(count, 'flag')}</b> in {names}, as configured in {environment}
        {type === 'backend'
          ? ', including the values in constraints and segments.'
          : ', evaluated for one user and without constraints.'}
        {projects.length === 0 && ' New projects are included.'}
      </p>
    </RailSection>
  );
}
