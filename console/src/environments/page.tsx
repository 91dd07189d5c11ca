import { ActionIcon, Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ArrowDown, ArrowUp, GripVertical, Plus } from 'lucide-react';
import { type DragEvent, type KeyboardEvent, useState } from 'react';
import { can } from '../api/can.ts';
import { useMe, useMissingPermissions } from '../api/me.ts';
import { environmentsQuery } from '../shell/queries.ts';
import { Can } from '../ui/Can.tsx';
import { Env } from '../ui/Env.tsx';
import { Failure } from '../ui/Failure.tsx';
import { Page } from '../ui/Page.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import { useShortcuts } from '../ui/shortcuts.ts';
import { Toggle } from '../ui/Toggle.tsx';
import { toast, toastError } from '../ui/toasts.ts';
import { useFilters } from '../ui/useFilters.ts';
import { counted, formatNumber } from '../ui/words.ts';
import { EnvironmentPanel, NewEnvironmentPanel } from './EnvironmentPanel.tsx';
import s from './environments.module.css';
import { type Environment, setEnabled, sortEnvironments } from './queries.ts';

/** The environments of the instance, in the order of flag pages. */
export function EnvironmentsPage() {
  const { search, push, replace } = useFilters();
  const { data, error, refetch } = useQuery(environmentsQuery);
  const me = useMe();
  const create = () => push({ edit: 'new' });
  useShortcuts([can(me, 'createEnvironment') && { keys: 'n', description: 'New environment', run: create }]);
  const close = () => replace({ edit: undefined });
  const edited = data?.environments.find(({ name }) => search.edit === `environment:${name}`);
  return (
    <Page
      title="Environments"
      note={data && counted(data.environments.length, 'environment')}
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
      {edited && <EnvironmentPanel key={edited.name} name={edited.name} onClose={close} />}
    </Page>
  );
}

/** The list with one element moved to a different position. */
const moved = (names: readonly string[], from: number, to: number): string[] => {
  const without = names.filter((_, place) => place !== from);
  return [...without.slice(0, to), ...names.slice(from, from + 1), ...without.slice(to)];
};

function Table({
  environments,
  onEdit,
}: {
  environments: readonly Environment[];
  onEdit(environment: Environment): void;
}) {
  const [dragged, setDragged] = useState<number>();
  /** The order that was sent, until the server has it. */
  const [sent, setSent] = useState<string[]>();
  const cannotSort = useMissingPermissions('updateEnvironmentSortOrder');
  const cannotToggle = useMissingPermissions('enableEnvironment');
  const known = environments.map(({ name }) => name);
  const names = sent?.length === known.length ? sent : known;
  const ordered = names.flatMap(name => environments.find(one => one.name === name) ?? []);
  const move = async (from: number, to: number) => {
    if (to < 0 || to >= names.length || from === to) return;
    const next = moved(names, from, to);
    setSent(next);
    try {
      await sortEnvironments(next);
      toast({ about: 'order', message: `${next[to]} is number ${to + 1} of ${next.length}.` });
    } catch (error) {
      setSent(undefined);
      toastError(error);
    }
  };
  const toggle = async ({ name }: Environment, enabled: boolean) => {
    await setEnabled(name, enabled);
    toast({ message: `New projects ${enabled ? 'get' : 'do not get'} ${name}.` });
  };
  const onKeyDown = (event: KeyboardEvent, place: number) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (step === undefined || !event.altKey || cannotSort.length > 0) return;
    event.preventDefault();
    void move(place, place + step);
  };
  const onDrop = (event: DragEvent, place: number) => {
    event.preventDefault();
    if (dragged !== undefined) void move(dragged, place);
    setDragged(undefined);
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
          {ordered.map((environment, place) => (
            <tr
              key={environment.name}
              draggable={cannotSort.length === 0}
              data-dragged={dragged === place || undefined}
              onDragStart={() => setDragged(place)}
              onDragEnd={() => setDragged(undefined)}
              onDragOver={event => event.preventDefault()}
              onDrop={event => onDrop(event, place)}
              onKeyDown={event => onKeyDown(event, place)}
            >
              <td className={s.order}>
                <GripVertical size={14} aria-hidden="true" />
                <Can call="updateEnvironmentSortOrder">
                  <ActionIcon
                    size={22}
                    aria-label={`Move ${environment.name} up`}
                    disabled={place === 0}
                    onClick={() => void move(place, place - 1)}
                  >
                    <ArrowUp size={13} />
                  </ActionIcon>
                </Can>
                <Can call="updateEnvironmentSortOrder">
                  <ActionIcon
                    size={22}
                    aria-label={`Move ${environment.name} down`}
                    disabled={place === ordered.length - 1}
                    onClick={() => void move(place, place + 1)}
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
                  label={`New projects get ${environment.name}`}
                  missing={cannotToggle}
                  onChange={enabled => void toggle(environment, enabled).catch(toastError)}
                />
              </td>
              <td>{formatNumber(environment.projectCount)}</td>
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
