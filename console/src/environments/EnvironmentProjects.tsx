import { Button, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { addEnvironment } from '../projects/settings/queries.ts';
import { projectsQuery } from '../shell/queries.ts';
import { Can } from '../ui/Can.tsx';
import { escapeText } from '../ui/caller-text.ts';
import { makeProjectLabeler } from '../ui/project-options.ts';
import { RailSection } from '../ui/RailSection.tsx';
import { toast, toastError } from '../ui/toasts.ts';
import { formatCount, formatNumber } from '../ui/words.ts';
import s from './environments.module.css';
import { countProjects } from './queries.ts';

/** To find a project that is not shown, users search for it. */
const MAX_SHOWN = 50;
const MAX_WITHOUT_SEARCH = 10;

/** Lists all projects that the user can read, and whether they have the environment. Users can add it to the other projects. */
export function EnvironmentProjects({ environment }: { environment: string }) {
  const { data: projects } = useQuery(projectsQuery);
  const [filterText, setFilterText] = useState('');
  if (!projects) return null;
  const label = makeProjectLabeler(projects);
  const searchText = filterText.trim().toLowerCase();
  const matchingProjects = projects.filter(({ id, name }) =>
    `${name}\n${id}`.toLowerCase().includes(searchText),
  );
  const projectCount = countProjects(projects, environment);
  return (
    <RailSection
      title="Projects"
      aside={`in ${formatNumber(projectCount)} of ${formatCount(projects.length, 'project')}`}
    >
      {projects.length > MAX_WITHOUT_SEARCH && (
        <TextInput
          aria-label="Find a project"
          placeholder="Find a project"
          autoComplete="off"
          value={filterText}
          onChange={event => setFilterText(event.target.value)}
        />
      )}
      <ul className={s.projects} aria-label="Projects">
        {matchingProjects.slice(0, MAX_SHOWN).map(({ id, name, environments }) => (
          <li key={id}>
            <Link to="/projects/$projectId/settings/environments" params={{ projectId: id }}>
              {label({ id, name })}
            </Link>
            {environments.includes(environment) ? (
              <span className="muted">added</span>
            ) : (
              <AddButton project={id} name={label({ id, name })} environment={environment} />
            )}
          </li>
        ))}
      </ul>
      {matchingProjects.length === 0 && <p className={s.none}>No projects match.</p>}
      {matchingProjects.length > MAX_SHOWN && (
        <p className={s.none}>
          {formatNumber(matchingProjects.length - MAX_SHOWN)} more. Type part of the name.
        </p>
      )}
    </RailSection>
  );
}

function AddButton({ project, name, environment }: { project: string; name: string; environment: string }) {
  const add = useMutation({
    mutationFn: () => addEnvironment(project, environment),
    onSuccess: () => toast({ message: `Added ${environment} to ${name}. Every flag is disabled there.` }),
    onError: toastError,
  });
  return (
    <Can call="addEnvironmentToProject" project={project}>
      <Button
        size="compact-xs"
        leftSection={<Plus size={12} />}
        loading={add.isPending}
        onClick={() => add.mutate()}
      >
        Add{' '}
        <span className="sr">
          {environment} to {escapeText(name)}
        </span>
      </Button>
    </Can>
  );
}
