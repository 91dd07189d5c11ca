import { useQuery } from '@tanstack/react-query';
import { projectsQuery } from '../shell/queries.ts';
import { RailSection } from '../ui/RailSection.tsx';
import { counted } from '../ui/words.ts';
import s from './api-tokens.module.css';

/** What a token can read: the flags of its projects, or of all projects, in its environment. */
export function Reach({
  projects,
  environment,
  type,
}: {
  projects: readonly string[];
  environment: string;
  type: 'backend' | 'frontend';
}) {
  const all = useQuery(projectsQuery).data;
  if (!all) return null;
  const read = projects.length === 0 ? all : all.filter(({ id }) => projects.includes(id));
  const count = read.reduce((sum, { featureCount }) => sum + featureCount, 0);
  const names = projects.length === 0 ? 'all projects' : read.map(({ name }) => name).join(', ');
  return (
    <RailSection title="What it can read">
      <p className={s.none}>
        <b>{counted(count, 'flag')}</b> of {names}, as they are in {environment}
        {type === 'backend'
          ? ', with the values in their constraints and segments.'
          : ', evaluated for one user. It shows no constraints.'}
        {projects.length === 0 && ' This includes new projects.'}
      </p>
    </RailSection>
  );
}
