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
import { listFilters } from '../ui/filters.ts';
import { Menu, MenuItem } from '../ui/Menu.tsx';
import type { Search } from '../ui/search.ts';
import { useShortcuts } from '../ui/shortcuts.ts';
import { useFilters } from '../ui/useFilters.ts';
import { usePages } from '../ui/usePages.ts';
import { formatCount } from '../ui/words.ts';
import { COLUMNS, useColumns } from './columns.ts';
import { FlagList } from './FlagList.tsx';
import { useFlagFields } from './fields.ts';
import { flagsPage, readFlags } from './queries.ts';
import s from './search.module.css';

const NewFlag = lazy(() =>
  loadChunk(() => import('./NewFlag.tsx')).then(module => ({ default: module.NewFlag })),
);
const SavedViews = lazy(() =>
  loadChunk(() => import('../views/SavedViews.tsx')).then(module => ({ default: module.SavedViews })),
);

/** Lists all flags that the user may read. */
export function FlagsPage() {
  return <Flags />;
}

/** Lists the flags of one project. */
export function ProjectFlagsPage() {
  const { projectId = '' } = useParams({ strict: false });
  return <Flags key={projectId} projectId={projectId} />;
}

const SORT_NAMES = ['sortBy', 'sortOrder'];

function Flags({ projectId }: { projectId?: string }) {
  const { search, push, replace } = useFilters();
  const fields = useFlagFields(projectId === undefined, search.owner !== undefined);
  const { chosenColumns, toggle } = useColumns();
  const filters = useMemo(() => toApiQuery(search, projectId), [search, projectId]);
  const pages = usePages(
    page => flagsPage(filters, page),
    ({ features }) => features,
  );
  const project = useQuery(projectsQuery).data?.find(({ id }) => id === projectId);
  const isNew = search.edit === 'new';
  const isArchived = search.archived === 'IS:true';
  const close = () => replace({ edit: undefined });
  const mayCreate = useMissingPermissions('createFeature', { project: projectId }).length === 0;
  useShortcuts([mayCreate && { keys: 'n', description: 'New flag', run: () => push({ edit: 'new' }) }]);
  const isEmpty = pages.total === 0 && !pages.isPrevious;
  const hasFilters = listFilters(search, fields).length > 0;

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
              filters={withoutEdit(search)}
              projectId={projectId}
            />
          </Suspense>
          <Menu keepOpen target={<Button leftSection={<Columns3 size={14} />}>Columns</Button>}>
            {COLUMNS.map(column => (
              <MenuItem
                key={column.id}
                checked={chosenColumns.includes(column.id)}
                onClick={() => toggle(column.id)}
              >
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
          resultText={pages.total === undefined ? undefined : formatCount(pages.total, 'flag')}
          hint="Add a filter, or search names, descriptions and tags"
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
          columns={projectId === undefined ? chosenColumns : chosenColumns.filter(id => id !== 'project')}
          shownEnvironments={project?.environments}
          onSort={push}
          readAll={() => readFlags(filters)}
          selectsAll={search.select === 'all'}
          onAllSelected={() => replace({ select: undefined })}
        />
      )}
      {isNew && (
        <Suspense>
          <NewFlag projectId={projectId} onClose={close} />
        </Suspense>
      )}
    </ProjectPage>
  );
}

/** Returns the parameters to store in a saved view. */
const withoutEdit = ({ edit: _, select: __, ...search }: Search): Search => search;

/** Returns the API query: the URL's parameters without those that concern only the page. */
function toApiQuery({ edit: _, select: __, ...search }: Search, projectId: string | undefined): Search {
  const sortedSearch = SORT_NAMES.some(name => search[name])
    ? search
    : { ...search, sortBy: 'name', favoritesFirst: 'true' };
  return projectId === undefined ? sortedSearch : { ...sortedSearch, project: `IS:${projectId}` };
}
