import '@mantine/core/styles/FloatingIndicator.layer.css';
import '@mantine/core/styles/SegmentedControl.layer.css';
import { Button, SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useMemo } from 'react';
import { can } from '../api/can.ts';
import { useMe } from '../api/me.ts';
import { Can } from '../ui/Can.tsx';
import { Empty } from '../ui/Empty.tsx';
import { Failure } from '../ui/Failure.tsx';
import { Page } from '../ui/Page.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import { useShortcuts } from '../ui/shortcuts.ts';
import { TextFilter } from '../ui/TextFilter.tsx';
import { useFilters } from '../ui/useFilters.ts';
import { formatCount } from '../ui/words.ts';
import { NewProject } from './NewProject.tsx';
import { ProjectList } from './ProjectList.tsx';
import s from './projects.module.css';
import { listQuery, type Project } from './queries.ts';

/** Lists the active or the archived projects that the user may read. */
export function ProjectsPage() {
  const { search, push, replace } = useFilters();
  const isArchived = search.archived === 'true';
  const typedText = typeof search.query === 'string' ? search.query : '';
  const listResult = useQuery(listQuery(isArchived));
  const me = useMe();
  const matchingProjects = useMemo(
    () => filterAndSort(listResult.data?.projects ?? [], typedText),
    [listResult.data, typedText],
  );
  const create = () => push({ edit: 'new' });
  useShortcuts([can(me, 'createProject') && { keys: 'n', description: 'New project', run: create }]);

  return (
    <Page
      title="Projects"
      actions={
        <Can call="createProject">
          <Button variant="filled" leftSection={<Plus size={14} />} onClick={create}>
            New project <kbd className={s.kbd}>N</kbd>
          </Button>
        </Can>
      }
      head={
        <TextFilter
          label="Filter projects"
          placeholder="Name, ID or description"
          value={typedText}
          resultText={listResult.data && formatCount(matchingProjects.length, 'project')}
          onChange={query => replace({ query: query || undefined })}
        >
          <SegmentedControl
            aria-label="State"
            value={isArchived ? 'archived' : 'active'}
            data={[
              { value: 'active', label: 'Active' },
              { value: 'archived', label: 'Archived' },
            ]}
            onChange={value => push({ archived: value === 'archived' ? 'true' : undefined })}
          />
        </TextFilter>
      }
    >
      {listResult.error && <Failure error={listResult.error} onRetry={() => void listResult.refetch()} />}
      {listResult.isPending && <Skeleton rows={8} />}
      {listResult.data && matchingProjects.length > 0 && (
        <ProjectList projects={matchingProjects} isArchived={isArchived} />
      )}
      {listResult.data && matchingProjects.length === 0 && typedText !== '' && (
        <Empty action={<Button onClick={() => push({ query: undefined })}>Remove “{typedText}”</Button>}>
          No projects match.
        </Empty>
      )}
      {listResult.data && matchingProjects.length === 0 && typedText === '' && (
        <Empty
          action={
            isArchived ? (
              <Button onClick={() => push({ archived: undefined })}>Show active projects</Button>
            ) : undefined
          }
        >
          {isArchived ? 'No archived projects.' : 'No projects that you can read.'}
        </Empty>
      )}
      {search.edit === 'new' && <NewProject onClose={() => replace({ edit: undefined })} />}
    </Page>
  );
}

/** Returns the projects that contain the text, favorites first. The server has already sorted them by name. */
function filterAndSort(projects: readonly Project[], typedText: string): Project[] {
  const text = typedText.trim().toLowerCase();
  return projects
    .filter(({ id, name, description }) => `${name}\n${id}\n${description}`.toLowerCase().includes(text))
    .toSorted((a, b) => Number(b.favorite) - Number(a.favorite));
}
