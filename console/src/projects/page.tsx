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
import { counted } from '../ui/words.ts';
import { NewProject } from './NewProject.tsx';
import { ProjectList } from './ProjectList.tsx';
import s from './projects.module.css';
import { listQuery, type Project } from './queries.ts';

/** All projects that the user may read: the active ones, or those that are archived. */
export function ProjectsPage() {
  const { search, push, replace } = useFilters();
  const isArchived = search.archived === 'true';
  const typed = typeof search.query === 'string' ? search.query : '';
  const list = useQuery(listQuery(isArchived));
  const me = useMe();
  const matching = useMemo(() => sorted(list.data?.projects ?? [], typed), [list.data, typed]);
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
          value={typed}
          found={list.data && counted(matching.length, 'project')}
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
      {list.error && <Failure error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && <Skeleton rows={8} />}
      {list.data && matching.length > 0 && <ProjectList projects={matching} isArchived={isArchived} />}
      {list.data && matching.length === 0 && typed !== '' && (
        <Empty action={<Button onClick={() => push({ query: undefined })}>Remove “{typed}”</Button>}>
          No projects match.
        </Empty>
      )}
      {list.data && matching.length === 0 && typed === '' && (
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

/** The projects that contain the string, favorites first. The server sorts by name. */
function sorted(projects: readonly Project[], typed: string): Project[] {
  const text = typed.trim().toLowerCase();
  return projects
    .filter(({ id, name, description }) => `${name}\n${id}\n${description}`.toLowerCase().includes(text))
    .toSorted((a, b) => Number(b.favorite) - Number(a.favorite));
}
