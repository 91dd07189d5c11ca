import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Blocks, Plus, ScrollText } from 'lucide-react';
import { useCallback, useMemo, useRef } from 'react';
import { useMissingPermissions } from '../api/me.ts';
import { describeMissingPermissions } from '../api/permission-words.ts';
import { projectsQuery } from '../shell/queries.ts';
import { Can } from '../ui/Can.tsx';
import { Empty } from '../ui/Empty.tsx';
import { Failure } from '../ui/Failure.tsx';
import { Keys } from '../ui/Keys.tsx';
import { List } from '../ui/List.tsx';
import { Menu, MenuItem } from '../ui/Menu.tsx';
import { Page } from '../ui/Page.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import { State } from '../ui/State.tsx';
import { useShortcuts } from '../ui/shortcuts.ts';
import { Toggle } from '../ui/Toggle.tsx';
import { toast, toastError } from '../ui/toasts.ts';
import { useTimeLabel } from '../ui/useTimeLabel.ts';
import { formatCount } from '../ui/words.ts';
import s from './integrations.module.css';
import { type Integration, integrationsQuery, type Provider, setEnabled } from './queries.ts';
import { describeEvents, getIntegrationState, getIntegrationTitle } from './words.ts';

const getKey = (integration: Integration): string => String(integration.id);

/** Lists all integrations with their states, and the providers for new integrations. */
export function IntegrationsPage() {
  const { data, error, refetch } = useQuery(integrationsQuery);
  return (
    <Page
      title="Integrations"
      note={data && formatCount(data.addons.length, 'integration')}
      actions={
        <>
          <Can call="getDeliveries">
            <Button component={Link} to="/deliveries" leftSection={<ScrollText size={14} />}>
              All deliveries
            </Button>
          </Can>
          <NewIntegration providers={data?.providers ?? []} />
        </>
      }
    >
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {!error && !data && <Skeleton height={60} />}
      {data && (
        <div className={s.overview}>
          <div className={s.list}>
            {data.addons.length === 0 ? (
              <Empty icon={<Blocks size={20} />}>
                No integrations yet. Choose a provider to send events to your other tools.
              </Empty>
            ) : (
              <Integrations integrations={data.addons} providers={data.providers} />
            )}
          </div>
          <Providers providers={data.providers} />
        </div>
      )}
    </Page>
  );
}

/** A button with a menu of the providers. */
function NewIntegration({ providers }: { providers: readonly Provider[] }) {
  const button = useRef<HTMLButtonElement>(null);
  const mayCreate = useMissingPermissions('createAddon').length === 0;
  useShortcuts([
    mayCreate && { keys: 'n', description: 'New integration', run: () => button.current?.click() },
  ]);
  const target = (
    <Button ref={button} variant="filled" leftSection={<Plus size={14} />}>
      New integration <kbd className={s.kbd}>N</kbd>
    </Button>
  );
  if (!mayCreate) return <Can call="createAddon">{target}</Can>;
  return (
    <Menu target={target}>
      {providers.map(({ name, displayName }) => (
        <MenuItem key={name} as={Link} to={`/integrations/new/${name}`}>
          {displayName}
        </MenuItem>
      ))}
    </Menu>
  );
}

function Integrations({ integrations, providers }: { integrations: Integration[]; providers: Provider[] }) {
  const navigate = useNavigate();
  const missingPermissions = useMissingPermissions('updateAddon');
  const projects = useQuery(projectsQuery).data;
  const projectNames = useMemo(() => new Map(projects?.map(({ id, name }) => [id, name])), [projects]);
  const toggle = useCallback(
    async (integration: Integration, enabled: boolean) => {
      await setEnabled(integration.id, enabled);
      toast({
        message: `${getIntegrationTitle(integration, providers)} is ${enabled ? 'enabled' : 'disabled'}.`,
      });
    },
    [providers],
  );
  const maySeeDeliveries = useMissingPermissions('getIntegrationEvents').length === 0;
  const getPath = useCallback(
    ({ id }: Integration) => `/integrations/${id}${maySeeDeliveries ? '/deliveries' : ''}`,
    [maySeeDeliveries],
  );
  const render = useCallback(
    (integration: Integration) => (
      <Row
        integration={integration}
        providers={providers}
        projectNames={projectNames}
        getPath={getPath}
        missingPermissions={missingPermissions}
        onToggle={enabled => void toggle(integration, enabled).catch(toastError)}
      />
    ),
    [providers, projectNames, getPath, missingPermissions, toggle],
  );
  const open = (integration: Integration) => void navigate({ to: getPath(integration) });
  return (
    <>
      <List
        as="table"
        label="Integrations"
        count={integrations.length}
        rowAt={index => integrations[index]}
        getKey={getKey}
        height={64}
        header={
          // biome-ignore lint/a11y/useFocusableInteractive: a row of headings has no action
          // biome-ignore lint/a11y/useSemanticElements: the list is virtual
          <div role="row" className={s.header}>
            {['Integration', 'Events', 'State', 'Enabled'].map(name => (
              // biome-ignore lint/a11y/useFocusableInteractive: a heading has no action
              // biome-ignore lint/a11y/useSemanticElements: the list is virtual
              <span key={name} role="columnheader">
                {name}
              </span>
            ))}
          </div>
        }
        render={render}
        onOpen={open}
      />
      <Keys
        hints={[
          ['j k', 'move'],
          ['Enter', 'open'],
        ]}
      />
    </>
  );
}

// biome-ignore-start lint/a11y/useSemanticElements: the list is virtual
function Row({
  integration,
  providers,
  projectNames,
  getPath,
  missingPermissions,
  onToggle,
}: {
  integration: Integration;
  providers: Provider[];
  projectNames: ReadonlyMap<string, string>;
  getPath(integration: Integration): string;
  missingPermissions: readonly string[];
  onToggle(enabled: boolean): void;
}) {
  const { tone, why } = getIntegrationState(integration);
  const label = useTimeLabel(now => getIntegrationState(integration, now).label);
  const [reason] = why?.split(/(?<=\.) /) ?? [];
  const title = getIntegrationTitle(integration, providers);
  return (
    <div className={s.row}>
      <span role="cell" className={s.stacked}>
        <Link to={getPath(integration)} className={s.name} title={title}>
          {title}
        </Link>
        <small>{providers.find(({ name }) => name === integration.provider)?.displayName}</small>
      </span>
      <span role="cell" className={s.scope}>
        {describeEvents(integration, projectNames)}
      </span>
      <span role="cell" className={s.stacked} title={why}>
        <span>
          <State tone={tone}>{label}</State>
        </span>
        {reason && <small>{reason}</small>}
      </span>
      <span role="cell">
        <Toggle
          checked={integration.enabled}
          label={`${title} enabled`}
          missingPermissions={missingPermissions}
          onChange={onToggle}
        />
      </span>
    </div>
  );
}
// biome-ignore-end lint/a11y/useSemanticElements: see above

function Providers({ providers }: { providers: Provider[] }) {
  const missingPermissions = useMissingPermissions('createAddon');
  return (
    <aside className={s.providers} aria-label="New integration">
      <h2>New integration</h2>
      {missingPermissions.length > 0 && (
        <p className="muted">{describeMissingPermissions(missingPermissions)}.</p>
      )}
      <ul>
        {providers.map(({ name, displayName, description }) => (
          <li key={name}>
            <Link to="/integrations/new/$provider" params={{ provider: name }}>
              <b>{displayName}</b>
              <small>{description}</small>
            </Link>
          </li>
        ))}
      </ul>
    </aside>
  );
}
