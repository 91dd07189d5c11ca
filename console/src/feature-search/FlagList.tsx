import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useCallback, useMemo, useRef, useState } from 'react';
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
import { type ColumnId, fittingColumns, gridOf, useListWidth } from './columns.ts';
import { FlagHeader } from './FlagHeader.tsx';
import { FlagRow, type RowContext } from './FlagRow.tsx';
import { type Flag, typesQuery } from './queries.ts';
import s from './search.module.css';
import { ToggleQuestion, type Toggling } from './ToggleQuestion.tsx';

const placeOf = ({ project, name }: Flag) => ({ projectId: project, featureName: name });
const keyOf = (flag: Flag): string => `${flag.project}/${flag.name}`;

/** The table of flags with toggles, selection and keys. */
export function FlagList({
  pages,
  search,
  columns: chosen,
  shownEnvironments,
  onSort,
  readAll,
}: {
  pages: Pages<Flag>;
  search: Search;
  columns: readonly ColumnId[];
  /** The environments of the project; all if the list has flags of several projects. */
  shownEnvironments?: readonly string[];
  onSort(change: Search): void;
  /** Reads every flag of the search, to select them. */
  readAll(): Promise<Flag[]>;
}) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const me = useMe();
  const [asked, ask] = useState<Toggling>();
  const [selected, setSelected] = useState<ReadonlyMap<string, Flag>>(new Map());
  const selectedKeys = useMemo(() => new Set(selected.keys()), [selected]);
  const active = useRef<Flag>(undefined);
  const environments = useQuery(environmentsQuery).data?.environments;
  const projects = useQuery(projectsQuery).data;
  const types = useQuery(typesQuery).data?.types;
  const width = useListWidth();

  const toggle = useCallback(
    ({ flag, environment, enabled }: Toggling, reason?: string) =>
      toggleWithUndo(client, { ...placeOf(flag), environment }, enabled, reason),
    [client],
  );
  const select = useCallback(
    (flag: Flag) =>
      setSelected(before => {
        const next = new Map(before);
        if (!next.delete(keyOf(flag))) next.set(keyOf(flag), flag);
        return next;
      }),
    [],
  );
  const selectAll = async (isSelected: boolean) =>
    setSelected(new Map(isSelected ? (await readAll()).map(flag => [keyOf(flag), flag]) : []));
  const context = useMemo((): RowContext => {
    const shown = (environments ?? []).filter(
      ({ name, enabled }) => enabled && (shownEnvironments?.includes(name) ?? true),
    );
    const columns = fittingColumns(chosen, shown.length, width);
    return {
      me,
      columns,
      environments: shown,
      grid: gridOf(columns, shown.length, width === Number.POSITIVE_INFINITY),
      projectNames: new Map(projects?.map(({ id, name }) => [id, name])),
      typeNames: new Map(types?.map(({ id, name }) => [id, name])),
      onToggle: (flag, environment, enabled) => {
        if (isOffline()) return;
        const change = { flag, environment, enabled };
        const isProduction = shown.find(({ name }) => name === environment)?.type === 'production';
        if (isProduction) ask(change);
        else void toggle(change).catch(toastFailedToggle({ ...placeOf(flag), environment }, enabled));
      },
      onFavorite: flag => void setFavorite(client, placeOf(flag), !flag.favorite).catch(toastError),
      onSelect: select,
    };
  }, [me, chosen, width, environments, shownEnvironments, projects, types, toggle, select, client]);

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
  // A keyboard toggle applies to the flag's newest state, not to the one when the row became active.
  const onActive = useCallback((flag: Flag) => {
    active.current = flag;
  }, []);
  useShortcuts([
    {
      keys: 's',
      description: 'Add the flag to the favorites, or remove it',
      run: () => active.current && context.onFavorite(active.current),
    },
    ...context.environments.slice(0, 9).map(({ name }, n) => ({
      keys: String(n + 1),
      description: `Toggle in ${name}`,
      run: () => toggleActive(name),
    })),
  ]);
  const toggleActive = (environment: string) => {
    const button =
      active.current &&
      document.querySelector<HTMLInputElement>(
        `input[aria-label=${JSON.stringify(`${active.current.name} in ${environment}`)}]`,
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
        keyOf={keyOf}
        header={
          <FlagHeader
            context={context}
            search={search}
            selected={selected.size}
            total={pages.total}
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
      {selected.size > 0 && (
        <BulkBar
          flags={[...selected.values()]}
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
          ['s', 'favorite'],
        ]}
      />
      {asked && (
        <ToggleQuestion
          toggling={asked}
          onConfirm={reason => toggle(asked, reason)}
          onClose={() => ask(undefined)}
        />
      )}
    </>
  );
}
