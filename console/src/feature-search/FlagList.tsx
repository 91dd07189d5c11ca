import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useMe } from '../api/me.ts';
import { setFavorite } from '../features/queries.ts';
import { toastFailedToggle, toggleWithUndo } from '../features/toggle.ts';
import { environmentsQuery, projectsQuery } from '../shell/queries.ts';
import { Failure } from '../ui/Failure.tsx';
import { Keys } from '../ui/Keys.tsx';
import { List, type RowState } from '../ui/List.tsx';
import { isOffline } from '../ui/offline.ts';
import { Skeleton } from '../ui/Skeleton.tsx';
import type { Search } from '../ui/search.ts';
import { useShortcuts } from '../ui/shortcuts.ts';
import { toastError } from '../ui/toasts.ts';
import type { Pages } from '../ui/usePages.ts';
import { BulkBar } from './BulkBar.tsx';
import { buildGridTemplate, type ColumnId, fitColumns, useListWidth } from './columns.ts';
import { FlagHeader } from './FlagHeader.tsx';
import { FlagRow, type RowContext } from './FlagRow.tsx';
import { type Flag, typesQuery } from './queries.ts';
import s from './search.module.css';
import { type PendingToggle, ToggleConfirmation } from './ToggleConfirmation.tsx';

const toPath = ({ project, name }: Flag) => ({ projectId: project, featureName: name });
const getKey = (flag: Flag): string => `${flag.project}/${flag.name}`;

/** Shows flags in a table with toggles, a selection and keyboard shortcuts. */
export function FlagList({
  pages,
  search,
  columns: chosenColumns,
  shownEnvironments,
  onSort,
  readAll,
  selectsAll,
  onAllSelected,
}: {
  pages: Pages<Flag>;
  search: Search;
  columns: readonly ColumnId[];
  /** The environments of the project, or undefined to show all environments for flags of several projects. */
  shownEnvironments?: readonly string[];
  onSort(change: Search): void;
  /** Reads all flags that match the search, to select them. */
  readAll(): Promise<Flag[]>;
  /** Whether to select all flags, because the user followed a link that does so, such as the one in a project's danger zone. */
  selectsAll: boolean;
  onAllSelected(): void;
}) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const me = useMe();
  const [pendingToggle, setPendingToggle] = useState<PendingToggle>();
  const [selectedFlags, setSelected] = useState<ReadonlyMap<string, Flag>>(new Map());
  const selectedKeys = useMemo(() => new Set(selectedFlags.keys()), [selectedFlags]);
  const activeFlag = useRef<Flag>(undefined);
  const environments = useQuery(environmentsQuery).data?.environments;
  const projects = useQuery(projectsQuery).data;
  const types = useQuery(typesQuery).data?.types;
  const width = useListWidth();

  const toggle = useCallback(
    ({ flag, environment, enabled }: PendingToggle, reason?: string) =>
      toggleWithUndo(client, { ...toPath(flag), environment }, enabled, reason),
    [client],
  );
  const select = useCallback(
    (flag: Flag) =>
      setSelected(previous => {
        const updated = new Map(previous);
        if (!updated.delete(getKey(flag))) updated.set(getKey(flag), flag);
        return updated;
      }),
    [],
  );
  const selectAll = async (isSelected: boolean) =>
    setSelected(new Map(isSelected ? (await readAll()).map(flag => [getKey(flag), flag]) : []));
  // biome-ignore lint/correctness/useExhaustiveDependencies: the effect runs once for each link
  useEffect(() => {
    if (!selectsAll) return;
    onAllSelected();
    void selectAll(true).catch(toastError);
  }, [selectsAll]);
  const context = useMemo((): RowContext => {
    const visibleEnvironments = (environments ?? []).filter(
      ({ name, enabled }) => enabled && (shownEnvironments?.includes(name) ?? true),
    );
    const columns = fitColumns(chosenColumns, visibleEnvironments.length, width);
    return {
      me,
      columns,
      environments: visibleEnvironments,
      grid: buildGridTemplate(columns, visibleEnvironments.length, width === Number.POSITIVE_INFINITY),
      projectNames: new Map(projects?.map(({ id, name }) => [id, name])),
      typeNames: new Map(types?.map(({ id, name }) => [id, name])),
      lifetimes: new Map(types?.map(({ id, lifetimeDays }) => [id, lifetimeDays])),
      onToggle: (flag, environment, enabled) => {
        if (isOffline()) return;
        const change = { flag, environment, enabled };
        const isProduction =
          visibleEnvironments.find(({ name }) => name === environment)?.type === 'production';
        if (isProduction) setPendingToggle(change);
        else void toggle(change).catch(toastFailedToggle({ ...toPath(flag), environment }, enabled));
      },
      onFavorite: flag => void setFavorite(client, toPath(flag), !flag.favorite).catch(toastError),
      onSelect: select,
    };
  }, [me, chosenColumns, width, environments, shownEnvironments, projects, types, toggle, select, client]);

  const render = useCallback(
    (flag: Flag, { isSelected }: RowState) => (
      <FlagRow flag={flag} isSelected={isSelected} context={context} />
    ),
    [context],
  );
  const open = (flag: Flag) =>
    void navigate({
      to: '/projects/$projectId/features/$featureName',
      params: { projectId: flag.project, featureName: flag.name },
    });
  const onActive = useCallback((flag: Flag) => {
    activeFlag.current = flag;
  }, []);
  useShortcuts([
    {
      keys: 's',
      description: 'Add the flag to your favorites, or remove it',
      run: () => activeFlag.current && context.onFavorite(activeFlag.current),
    },
    ...context.environments.slice(0, 9).map(({ name }, index) => ({
      keys: String(index + 1),
      description: `Toggle in ${name}`,
      run: () => toggleActive(name),
    })),
  ]);
  // Clicks the toggle in the row, because the flag may have changed since the row became active.
  const toggleActive = (environment: string) => {
    const button =
      activeFlag.current &&
      document.querySelector<HTMLInputElement>(
        `input[aria-label=${JSON.stringify(`${activeFlag.current.name} in ${environment}`)}]`,
      );
    if (button) button.click();
  };

  if (pages.error) return <Failure error={pages.error} onRetry={pages.retry} />;
  if (pages.total === undefined || !environments) return <Skeleton rows={14} />;
  return (
    <>
      <List
        as="table"
        label="Flags"
        className={s.table}
        count={pages.total}
        rowAt={pages.rowAt}
        getKey={getKey}
        header={
          <FlagHeader
            context={context}
            search={search}
            selectedCount={selectedFlags.size}
            totalCount={pages.total}
            onSort={onSort}
            onSelectAll={isSelected => void selectAll(isSelected).catch(toastError)}
          />
        }
        render={render}
        onActive={onActive}
        onOpen={open}
        selected={selectedKeys}
        onSelect={select}
        onVisible={pages.onVisible}
      />
      {selectedFlags.size > 0 && (
        <BulkBar
          flags={[...selectedFlags.values()]}
          environments={context.environments}
          onDone={() => setSelected(new Map())}
        />
      )}
      <Keys
        hints={[
          ['j k', 'move'],
          ['Enter', 'open'],
          [context.environments.length > 1 ? `1…${Math.min(context.environments.length, 9)}` : '1', 'toggle'],
          ['x', 'select'],
          ...(selectedFlags.size > 0 ? [['b', 'actions'] as const] : []),
          ['s', 'favorite'],
        ]}
      />
      {pendingToggle && (
        <ToggleConfirmation
          pendingToggle={pendingToggle}
          onConfirm={reason => toggle(pendingToggle, reason)}
          onClose={() => setPendingToggle(undefined)}
        />
      )}
    </>
  );
}
