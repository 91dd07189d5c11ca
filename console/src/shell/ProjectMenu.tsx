import { useNavigate } from '@tanstack/react-router';
import { Check, ChevronsUpDown } from 'lucide-react';
import { useState } from 'react';
import type { Schemas } from '../api/client.ts';
import { Menu, MenuFilter, MenuItem } from '../ui/Menu.tsx';
import { makeProjectLabeler } from '../ui/project-options.ts';
import { formatCount } from '../ui/words.ts';
import s from './Shell.module.css';

export type Project = Schemas['ListedProject'];
const MAX_SHOWN = 50;

/** The current project, if there is one, and a menu to switch to a different project. */
export function ProjectMenu({ project, projects }: { project?: Project; projects: readonly Project[] }) {
  const navigate = useNavigate();
  const [typedText, setTypedText] = useState('');
  const matchingProjects = projects.filter(({ id, name }) =>
    `${name} ${id}`.toLowerCase().includes(typedText.toLowerCase()),
  );
  const label = makeProjectLabeler(projects);
  return (
    <Menu
      align="start"
      className={s.projects}
      onClose={() => setTypedText('')}
      target={
        <button type="button" className={s.project}>
          <i aria-hidden="true">{project?.name.slice(0, 1).toUpperCase()}</i>
          <span>
            <b>{project?.name ?? 'Choose a project'}</b>
            <small>
              {project
                ? `${formatCount(project.featureCount, 'flag')} · ${formatCount(project.members, 'member')}`
                : formatCount(projects.length, 'project')}
            </small>
            {project && <small className="sr">Go to a different project</small>}
          </span>
          <ChevronsUpDown size={14} aria-hidden="true" />
        </button>
      }
      field={
        projects.length > 8 && <MenuFilter label="Find a project" value={typedText} onChange={setTypedText} />
      }
    >
      {matchingProjects.slice(0, MAX_SHOWN).map(({ id, name }) => (
        <MenuItem
          key={id}
          onClick={() => void navigate({ to: '/projects/$projectId', params: { projectId: id } })}
        >
          <span className={s.choice}>{label({ id, name })}</span>
          {id === project?.id && <Check size={14} aria-label="Current project" />}
        </MenuItem>
      ))}
    </Menu>
  );
}
