import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Lock } from 'lucide-react';
import { getHealthTone } from '../health/tone.ts';
import { Can } from '../ui/Can.tsx';
import { FavoriteButton } from '../ui/FavoriteButton.tsx';
import { Cell, Cells } from '../ui/Row.tsx';
import { State } from '../ui/State.tsx';
import { Time } from '../ui/Time.tsx';
import { formatNumber } from '../ui/words.ts';
import { MODES } from './modes.ts';
import s from './projects.module.css';
import type { Project } from './queries.ts';

export function ProjectRow({
  project,
  onFavorite,
  onToggleArchived,
}: {
  project: Project;
  onFavorite(project: Project): void;
  /** Asks for confirmation, and then archives an active project or revives an archived one. */
  onToggleArchived(project: Project): void;
}) {
  const { id, name, archivedAt, lastEventAt } = project;
  const isArchived = archivedAt !== null;
  return (
    <Cells className={s.columns}>
      <Cell variant="control">
        <FavoriteButton
          label={`Favorite ${name}`}
          pressed={project.favorite}
          onClick={() => onFavorite(project)}
        />
      </Cell>
      <Cell variant="name">
        <Link
          to={isArchived ? '/projects/$projectId/settings/danger' : '/projects/$projectId'}
          params={{ projectId: id }}
        >
          {name}
        </Link>
        <small>
          <span className="mono">{id}</span>
          {project.description && ` · ${project.description}`}
        </small>
      </Cell>
      <Cell className={s.mode}>
        {project.mode === 'private' && <Lock size={13} aria-hidden="true" />}
        {MODES[project.mode].label}
      </Cell>
      <Cell className={s.number}>{formatNumber(project.featureCount)}</Cell>
      <Cell>
        <Health project={project} />
      </Cell>
      <Cell className={s.number}>{formatNumber(project.members)}</Cell>
      <Cell variant="dim">
        {isArchived ? (
          <Time at={archivedAt} format="date" />
        ) : lastEventAt ? (
          <Time at={lastEventAt} />
        ) : (
          'never'
        )}
      </Cell>
      <Cell className={s.action}>
        {id !== 'default' && (
          <Can call={isArchived ? 'reviveProject' : 'archiveProject'} project={id}>
            <Button size="compact-xs" onClick={() => onToggleArchived(project)}>
              {isArchived ? 'Revive…' : 'Archive…'} <span className="sr">{name}</span>
            </Button>
          </Can>
        )}
      </Cell>
    </Cells>
  );
}

/** The health of a project, which links to the findings if the project has flags. */
function Health({ project }: { project: Project }) {
  if (project.featureCount === 0) return <span className={s.none}>no flags</span>;
  const state = <State tone={getHealthTone(project.health)}>{project.health}</State>;
  if (project.archivedAt !== null) return state;
  return (
    <Link
      to="/projects/$projectId/health"
      params={{ projectId: project.id }}
      aria-label={`Health of ${project.name}: ${project.health}`}
    >
      {state}
    </Link>
  );
}
