// biome-ignore-all lint/a11y/useSemanticElements: rows of a virtual list are positioned, which table elements do not allow
// biome-ignore-all lint/a11y/useFocusableInteractive: the focus stays on the list, which marks the active row
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useCallback, useRef, useState } from 'react';
import { Keys } from '../ui/Keys.tsx';
import { List } from '../ui/List.tsx';
import { HeaderRow } from '../ui/Row.tsx';
import { useShortcuts } from '../ui/shortcuts.ts';
import { toastError } from '../ui/toasts.ts';
import { ArchiveProjectDialog, ReviveProjectDialog } from './ArchiveProject.tsx';
import { ProjectRow } from './ProjectRow.tsx';
import s from './projects.module.css';
import { type Project, setFavorite } from './queries.ts';

const getKey = ({ id }: Project): string => id;

/** The table of projects. Opening an active project shows its flags, and opening an archived one shows its danger zone. */
export function ProjectList({ projects, isArchived }: { projects: readonly Project[]; isArchived: boolean }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [chosenProject, setChosenProject] = useState<Project>();
  // The project in its current state, because flags may be created or archived while the dialog is open.
  const projectInDialog = projects.find(({ id }) => id === chosenProject?.id) ?? chosenProject;
  const activeProject = useRef<Project>(undefined);
  const toggleFavorite = useCallback(
    (project: Project) => void setFavorite(client, project, !project.favorite).catch(toastError),
    [client],
  );
  const render = useCallback(
    (project: Project) => (
      <ProjectRow project={project} onFavorite={toggleFavorite} onToggleArchived={setChosenProject} />
    ),
    [toggleFavorite],
  );
  const onActive = useCallback((project: Project) => {
    activeProject.current = project;
  }, []);
  useShortcuts([
    {
      keys: 's',
      description: 'Add the project to your favorites, or remove it',
      run: () => {
        // Looks up the current state, because the project may have changed since its row became active.
        const currentProject = projects.find(({ id }) => id === activeProject.current?.id);
        if (currentProject) toggleFavorite(currentProject);
      },
    },
  ]);
  const close = () => setChosenProject(undefined);
  return (
    <>
      <List
        as="table"
        label="Projects"
        count={projects.length}
        rowAt={index => projects[index]}
        getKey={getKey}
        header={<Header isArchived={isArchived} />}
        render={render}
        onActive={onActive}
        onOpen={({ id, archivedAt }) =>
          void navigate({
            to: archivedAt === null ? '/projects/$projectId' : '/projects/$projectId/settings/danger',
            params: { projectId: id },
          })
        }
      />
      <Keys
        hints={[
          ['j k', 'move'],
          ['Enter', 'open'],
          ['s', 'favorite'],
        ]}
      />
      {projectInDialog && projectInDialog.archivedAt === null && (
        <ArchiveProjectDialog project={projectInDialog} onClose={close} />
      )}
      {projectInDialog && projectInDialog.archivedAt !== null && (
        <ReviveProjectDialog project={projectInDialog} onClose={close} />
      )}
    </>
  );
}

function Header({ isArchived }: { isArchived: boolean }) {
  const columns = ['Project', 'Mode', 'Flags', 'Health', 'Members', isArchived ? 'Archived' : 'Last change'];
  return (
    <HeaderRow className={s.columns}>
      <span role="columnheader">
        <span className="sr">Favorite</span>
      </span>
      {columns.map(column => (
        <span key={column} role="columnheader">
          {column}
        </span>
      ))}
      <span role="columnheader">
        <span className="sr">Actions</span>
      </span>
    </HeaderRow>
  );
}
