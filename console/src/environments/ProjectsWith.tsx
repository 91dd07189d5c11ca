import { Button, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { addEnvironment } from '../projects/settings/queries.ts';
import { projectsQuery } from '../shell/queries.ts';
import { Can } from '../ui/Can.tsx';
import { RailSection } from '../ui/RailSection.tsx';
import { toast, toastError } from '../ui/toasts.ts';
import { counted, formatNumber } from '../ui/words.ts';
import s from './environments.module.css';

/** Others are found by searching. */
const SHOWN = 50;
const FEW = 10;

/** All projects that the user can read, and whether they have the environment. Each of the others can add it here. */
export function ProjectsWith({ environment }: { environment: string }) {
  const { data: projects } = useQuery(projectsQuery);
  const [typed, setTyped] = useState('');
  if (!projects) return null;
  const words = typed.trim().toLowerCase();
  const matching = projects.filter(({ id, name }) => `${name}\n${id}`.toLowerCase().includes(words));
  const having = projects.filter(({ environments }) => environments.includes(environment)).length;
  return (
    <RailSection
      title="Projects"
      aside={`in ${formatNumber(having)} of ${counted(projects.length, 'project')}`}
    >
      {projects.length > FEW && (
        <TextInput
          aria-label="Find a project"
          placeholder="Find a project"
          autoComplete="off"
          value={typed}
          onChange={event => setTyped(event.target.value)}
        />
      )}
      <ul className={s.projects} aria-label="Projects">
        {matching.slice(0, SHOWN).map(({ id, name, environments }) => (
          <li key={id}>
            <Link to="/projects/$projectId/settings/environments" params={{ projectId: id }}>
              {name}
            </Link>
            {environments.includes(environment) ? (
              <span className="muted">added</span>
            ) : (
              <Add project={id} name={name} environment={environment} />
            )}
          </li>
        ))}
      </ul>
      {matching.length === 0 && <p className={s.none}>No projects match.</p>}
      {matching.length > SHOWN && (
        <p className={s.none}>{formatNumber(matching.length - SHOWN)} more. Type a part of the name.</p>
      )}
    </RailSection>
  );
}

function Add({ project, name, environment }: { project: string; name: string; environment: string }) {
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
          {environment} to {name}
        </span>
      </Button>
    </Can>
  );
}
