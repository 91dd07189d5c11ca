import { ActionIcon, Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ArrowDown, ArrowUp, GripVertical, Plus } from 'lucide-react';
import { type DragEvent, type KeyboardEvent, useState } from 'react';
import { can } from '../api/can.ts';
import { useMe, useMissingPermissions } from '../api/me.ts';
import { environmentsQuery, projectsQuery } from '../shell/queries.ts';
import { Can } from '../ui/Can.tsx';
import { Env } from '../ui/Env.tsx';
import { Failure } from '../ui/Failure.tsx';
import { Page } from '../ui/Page.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import { useShortcuts } from '../ui/shortcuts.ts';
import { Toggle } from '../ui/Toggle.tsx';
import { toast, toastError } from '../ui/toasts.ts';
import { useFilters } from '../ui/useFilters.ts';
import { formatCount, formatNumber } from '../ui/words.ts';
import { EnvironmentPanel, NewEnvironmentPanel } from './EnvironmentPanel.tsx';
import s from './environments.module.css';
import { countProjects, type Environment, setEnabled, sortEnvironments } from './queries.ts';

/** Lists all environments, in the order that flag pages use. */
export function EnvironmentsPage() {
  const { search, push, replace } = useFilters();
  const { data, error, refetch } = useQuery(environmentsQuery);
  const me = useMe();
  const create = () => push({ edit: 'new' });
  useShortcuts([can(me, 'createEnvironment') && { keys: 'n', description: 'New environment', run: create }]);
  const close = () => replace({ edit: undefined });
  const editedEnvironment = data?.environments.find(({ name }) => search.edit === `environment:${name}`);
  return (
    <Page
      title="Environments"
      note={data && formatCount(data.environments.length, 'environment')}
      actions={
        <Can call="createEnvironment">
          <Button variant="filled" leftSection={<Plus size={14} />} onClick={create}>
            New environment <kbd className={s.kbd}>N</kbd>
          </Button>
        </Can>
      }
    >
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {!error && !data && <Skeleton rows={3} />}
      {data && (
        <Table
          environments={data.environments}
          onEdit={({ name }) => push({ edit: `environment:${name}` })}
        />
      )}
      {search.edit === 'new' && <NewEnvironmentPanel onClose={close} />}
      {editedEnvironment && (
        <EnvironmentPanel key={editedEnvironment.name} name={editedEnvironment.name} onClose={close} />
      )}
    </Page>
  );
}

/** Moves a name to a different position. */
const moveName = (names: readonly string[], fromIndex: number, toIndex: number): string[] => {
  const otherNames = names.filter((_, index) => index !== fromIndex);
  return [
    ...otherNames.slice(0, toIndex),
    ...names.slice(fromIndex, fromIndex + 1),
    ...otherNames.slice(toIndex),
  ];
};

function Table({
  environments,
  onEdit,
}: {
  environments: readonly Environment[];
  onEdit(environment: Environment): void;
}) {
  const [draggedIndex, setDraggedIndex] = useState<number>();
  /** The new order, until the server has stored it. */
  const [pendingNames, setPendingNames] = useState<string[]>();
  const projects = useQuery(projectsQuery).data;
  const cannotSort = useMissingPermissions('updateEnvironmentSortOrder');
  const cannotToggle = useMissingPermissions('enableEnvironment');
  const storedNames = environments.map(({ name }) => name);
  const names = pendingNames?.length === storedNames.length ? pendingNames : storedNames;
  const sortedEnvironments = names.flatMap(
    name => environments.find(environment => environment.name === name) ?? [],
  );
  const move = async (fromIndex: number, toIndex: number) => {
    if (toIndex < 0 || toIndex >= names.length || fromIndex === toIndex) return;
    const movedNames = moveName(names, fromIndex, toIndex);
    setPendingNames(movedNames);
    try {
      await sortEnvironments(movedNames);
      toast({
        about: 'order',
        message: `${movedNames[toIndex]} is now number ${toIndex + 1} of ${movedNames.length}.`,
      });
    } catch (error) {
      setPendingNames(undefined);
      toastError(error);
    }
  };
  const toggle = async ({ name }: Environment, enabled: boolean) => {
    await setEnabled(name, enabled);
    toast({ message: `New projects ${enabled ? 'include' : 'do not include'} ${name}.` });
  };
  const onKeyDown = (event: KeyboardEvent, index: number) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (step === undefined || !event.altKey || cannotSort.length > 0) return;
    event.preventDefault();
    void move(index, index + step);
  };
  const onDrop = (event: DragEvent, index: number) => {
    event.preventDefault();
    if (draggedIndex !== undefined) void move(draggedIndex, index);
    setDraggedIndex(undefined);
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <section className={s.scroll} tabIndex={0} aria-label="All environments">
      <table className={s.table}>
        <thead>
          <tr>
            <th scope="col">
              <span className="sr">Order</span>
            </th>
            <th scope="col">Environment</th>
            <th scope="col">Type</th>
            <th scope="col">In new projects</th>
            <th scope="col">Projects</th>
            <th scope="col">Enabled flags</th>
            <th scope="col">API tokens</th>
          </tr>
        </thead>
        <tbody>
          {sortedEnvironments.map((environment, index) => (
            <tr
              key={environment.name}
              draggable={cannotSort.length === 0}
              data-dragged={draggedIndex === index || undefined}
              onDragStart={() => setDraggedIndex(index)}
              onDragEnd={() => setDraggedIndex(undefined)}
              onDragOver={event => event.preventDefault()}
              onDrop={event => onDrop(event, index)}
              onKeyDown={event => onKeyDown(event, index)}
            >
              <td className={s.order}>
                <GripVertical size={14} aria-hidden="true" />
                <Can call="updateEnvironmentSortOrder">
                  <ActionIcon
                    size={22}
                    aria-label={`Move ${environment.name} up`}
                    disabled={index === 0}
                    onClick={() => void move(index, index - 1)}
                  >
                    <ArrowUp size={13} />
                  </ActionIcon>
                </Can>
                <Can call="updateEnvironmentSortOrder">
                  <ActionIcon
                    size={22}
                    aria-label={`Move ${environment.name} down`}
                    disabled={index === sortedEnvironments.length - 1}
                    onClick={() => void move(index, index + 1)}
                  >
                    <ArrowDown size={13} />
                  </ActionIcon>
                </Can>
              </td>
              <th scope="row">
                <button type="button" className={s.name} onClick={() => onEdit(environment)}>
                  <Env name={environment.name} type={environment.type} />
                </button>
              </th>
              <td>{environment.type}</td>
              <td>
                <Toggle
                  checked={environment.enabled}
                  label={`Include ${environment.name} in new projects`}
                  missingPermissions={cannotToggle}
                  onChange={enabled => void toggle(environment, enabled).catch(toastError)}
                />
              </td>
              <td>{projects && formatNumber(countProjects(projects, environment.name))}</td>
              <td>{formatNumber(environment.enabledToggleCount)}</td>
              <td>{formatNumber(environment.apiTokenCount)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className={s.hint}>Drag a row, or press Alt+↑ and Alt+↓ in it. Flag pages use the same order.</p>
    </section>
  );
}
