import { useQuery } from '@tanstack/react-query';
import { projectsQuery } from '../shell/queries.ts';
import { RailSection } from '../ui/RailSection.tsx';
import { formatCount } from '../ui/words.ts';
import s from './api-tokens.module.css';

/** Shows how many flags a token can read in its environment. */
export function Reach({
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
        <b>{formatCount(count, 'flag')}</b> of {names}, as {count === 1 ? 'it is' : 'they are'} in{' '}
        {environment}
        {type === 'backend'
          ? ', with the values in their constraints and segments.'
          : ', evaluated for one user. It shows no constraints.'}
        {projects.length === 0 && ' This includes new projects.'}
      </p>
    </RailSection>
  );
}
