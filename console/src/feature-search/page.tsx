import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Archive, Columns3, Flag, Plus } from 'lucide-react';
import { lazy, Suspense, useMemo } from 'react';
import { loadChunk } from '../api/chunks.ts';
import { useMissingPermissions } from '../api/me.ts';
import { ProjectPage } from '../projects/Frame.tsx';
import { projectsQuery } from '../shell/queries.ts';
import { Can } from '../ui/Can.tsx';
import { Empty, NoMatch } from '../ui/Empty.tsx';
import { FilterBar } from '../ui/FilterBar.tsx';
import { filtersOf } from '../ui/filters.ts';
import { Menu, MenuItem } from '../ui/Menu.tsx';
import type { Search } from '../ui/search.ts';
import { useShortcuts } from '../ui/shortcuts.ts';
import { useFilters } from '../ui/useFilters.ts';
import { usePages } from '../ui/usePages.ts';
import { counted } from '../ui/words.ts';
import { COLUMNS, useColumns } from './columns.ts';
import { FlagList } from './FlagList.tsx';
import { useFlagFields } from './fields.ts';
import { NewFlag } from './NewFlag.tsx';
import { flagsPage, readFlags } from './queries.ts';
import s from './search.module.css';

const SavedViews = lazy(() =>
  loadChunk(() => import('../views/SavedViews.tsx')).then(module => ({ default: module.SavedViews })),
);

/** All flags that the user may read. */
export function FlagsPage() {
  return <Flags />;
}

/** The flags of one project. */
export function ProjectFlagsPage() {
  const { projectId = '' } = useParams({ strict: false });
  return <Flags key={projectId} projectId={projectId} />;
}

const SORT = ['sortBy', 'sortOrder'];

function Flags({ projectId }: { projectId?: string }) {
  const { search, push, replace } = useFilters();
  const fields = useFlagFields(projectId === undefined);
  const { shown, toggle } = useColumns();
  const filters = useMemo(() => queryOf(search, projectId), [search, projectId]);
  const pages = usePages(
    page => flagsPage(filters, page),
    ({ features }) => features,
  );
  const project = useQuery(projectsQuery).data?.find(one => one.id === projectId);
  const isNew = search.edit === 'new';
  const isArchived = search.archived === 'IS:true';
  const close = () => replace({ edit: undefined });
  const mayCreate = useMissingPermissions('createFeature', { project: projectId }).length === 0;
  useShortcuts([mayCreate && { keys: 'n', description: 'New flag', run: () => push({ edit: 'new' }) }]);
  const isEmpty = pages.total === 0 && !pages.isPrevious;
  const hasFilters = filtersOf(search, fields).length > 0;

  return (
    <ProjectPage
      projectId={projectId}
      part="Flags"
      actions={
        <>
          <Button
            variant="subtle"
            color="gray"
            leftSection={isArchived ? <Flag size={14} /> : <Archive size={14} />}
            onClick={() => push({ archived: isArchived ? undefined : 'IS:true' })}
          >
            {isArchived ? 'Active flags' : 'Archived flags'}
          </Button>
          <Suspense>
            <SavedViews
              page={projectId === undefined ? '/flags' : `/projects/${encodeURIComponent(projectId)}`}
              filters={addressOf(search)}
              projectId={projectId}
            />
          </Suspense>
          <Menu keepOpen target={<Button leftSection={<Columns3 size={14} />}>Columns</Button>}>
            {COLUMNS.map(column => (
              <MenuItem key={column.id} checked={shown.includes(column.id)} onClick={() => toggle(column.id)}>
                {column.label}
              </MenuItem>
            ))}
          </Menu>
          <Can call="createFeature" project={projectId}>
            <Button variant="filled" leftSection={<Plus size={14} />} onClick={() => push({ edit: 'new' })}>
              New flag <kbd className={s.kbd}>N</kbd>
            </Button>
          </Can>
        </>
      }
      head={
        <FilterBar
          fields={fields}
          search={search}
          onChange={push}
          found={pages.total === undefined ? undefined : counted(pages.total, 'flag')}
          hint="Add a filter, or text to find in name, description or tags"
          api="/api/admin/search/features"
        />
      }
    >
      {isEmpty && hasFilters && <NoMatch noun="flags" search={search} fields={fields} onChange={push} />}
      {isEmpty && !hasFilters && (
        <Empty
          action={
            <Can call="createFeature" project={projectId}>
              <Button variant="filled" onClick={() => push({ edit: 'new' })}>
                Create a flag
              </Button>
            </Can>
          }
        >
          No flags yet.
        </Empty>
      )}
      {!isEmpty && (
        <FlagList
          pages={pages}
          search={search}
          columns={projectId === undefined ? shown : shown.filter(id => id !== 'project')}
          shownEnvironments={project?.environments}
          onSort={push}
          readAll={() => readFlags(filters)}
        />
      )}
      {isNew && <NewFlag projectId={projectId} onClose={close} />}
    </ProjectPage>
  );
}

/** What a saved view of the page keeps. */
const addressOf = ({ edit: _, ...search }: Search): Search => search;

/** The query of the API: the URL without what belongs to the page. */
function queryOf({ edit: _, ...search }: Search, projectId: string | undefined): Search {
  const sorted = SORT.some(name => search[name])
    ? search
    : { ...search, sortBy: 'name', favoritesFirst: 'true' };
  return projectId === undefined ? sorted : { ...sorted, project: `IS:${projectId}` };
}
