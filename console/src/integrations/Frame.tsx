import { ActionIcon, Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Ellipsis, Eye, History, ListOrdered, Send, ShieldCheck } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import { useMissingPermissions } from '../api/me.ts';
import { Replay } from '../deliveries/Replay.tsx';
import { projectsQuery } from '../shell/queries.ts';
import { Can } from '../ui/Can.tsx';
import { Menu, MenuItem } from '../ui/Menu.tsx';
import { Page } from '../ui/Page.tsx';
import { State } from '../ui/State.tsx';
import type { Search } from '../ui/search.ts';
import { Tabs } from '../ui/Tabs.tsx';
import { Time } from '../ui/Time.tsx';
import { toast, toastError } from '../ui/toasts.ts';
import { useFilters } from '../ui/useFilters.ts';
import { useTimeLabel } from '../ui/useTimeLabel.ts';
import { DeleteDialog, RotateDialog } from './Dialogs.tsx';
import s from './integrations.module.css';
import { PreviewPanel } from './PreviewPanel.tsx';
import { type Integration, type Provider, sendTest, setEnabled } from './queries.ts';
import { describeEvents, getIntegrationState, getIntegrationTitle } from './words.ts';

type FrameProps = { integration: Integration; provider: Provider };

/** Frames an integration's pages with its state, actions and tabs. Panels open through `?edit=`. */
export function IntegrationFrame({ integration, provider, children }: FrameProps & { children: ReactNode }) {
  const { search, replace } = useFilters();
  const { tone } = getIntegrationState(integration);
  const label = useTimeLabel(now => getIntegrationState(integration, now).label);
  const close = () => replace({ edit: undefined });
  const maySeeDeliveries = useMissingPermissions('getIntegrationEvents').length === 0;
  const base = `/integrations/${integration.id}`;
  return (
    <Page
      title={getIntegrationTitle(integration, [provider])}
      crumbs={
        <>
          <Link to="/integrations">Integrations</Link> / {provider.displayName}
        </>
      }
      note={<State tone={tone}>{label}</State>}
      actions={<Actions integration={integration} provider={provider} />}
      head={
        <>
          <About integration={integration} provider={provider} />
          <Warning integration={integration} />
          <div className={s.tabs}>
            <Tabs
              label="Parts of the integration"
              tabs={[
                ...(maySeeDeliveries ? [{ to: `${base}/deliveries`, label: 'Deliveries' }] : []),
                { to: base, label: 'Settings' },
              ]}
            />
          </div>
        </>
      }
    >
      {children}
      {search.edit === 'preview' && <PreviewPanel integration={integration} />}
      {search.edit === 'replay' && <Replay integration={integration} />}
      {search.edit === 'rotate' && <RotateDialog integration={integration} onClose={close} />}
      {search.edit === 'delete' && (
        <DeleteDialog
          integration={integration}
          title={getIntegrationTitle(integration, [provider])}
          onClose={close}
        />
      )}
    </Page>
  );
}

function Actions({ integration, provider }: FrameProps) {
  const navigate = useNavigate();
  const { push } = useFilters();
  const toggle = useToggle(integration);
  const test = async () => {
    await sendTest(integration.id);
    toast({ message: 'Test event queued. Its delivery is the first one in the list.' });
    await navigate({
      to: '/integrations/$integrationId/deliveries',
      params: { integrationId: String(integration.id) },
      // Removes all filters, because a filter could hide the test. A delivery that the user opened while the test ran stays open.
      search: ({ delivery }: Search) => ({ delivery }),
    });
  };
  return (
    <>
      <Can call="testAddon">
        <Button leftSection={<Send size={13} />} onClick={() => void test().catch(toastError)}>
          Send test
        </Button>
      </Can>
      <Can call="previewAddon">
        <Button leftSection={<Eye size={14} />} onClick={() => push({ edit: 'preview' })}>
          Preview…
        </Button>
      </Can>
      <Can call="redeliverFailedIntegrationEvents">
        <Button leftSection={<History size={14} />} onClick={() => push({ edit: 'replay' })}>
          Replay…
        </Button>
      </Can>
      <Menu
        target={
          <ActionIcon aria-label="More actions" variant="default" size={30}>
            <Ellipsis size={16} />
          </ActionIcon>
        }
      >
        {provider.signed && (
          <Can call="rotateAddonSecret">
            <MenuItem onClick={() => push({ edit: 'rotate' })}>Rotate the signing secret…</MenuItem>
          </Can>
        )}
        <Can call="updateAddon">
          <MenuItem onClick={() => void toggle(!integration.enabled).catch(toastError)}>
            {integration.enabled ? 'Disable' : 'Enable'}
          </MenuItem>
        </Can>
        <Can call="deleteAddon">
          <MenuItem danger onClick={() => push({ edit: 'delete' })}>
            Delete…
          </MenuItem>
        </Can>
      </Menu>
    </>
  );
}

function useToggle({ id }: Integration) {
  return async (enabled: boolean) => {
    await setEnabled(id, enabled);
    toast({ message: `The integration is ${enabled ? 'enabled' : 'disabled'}.` });
  };
}

function About({ integration, provider }: FrameProps) {
  const projects = useQuery(projectsQuery).data;
  const names = useMemo(() => new Map(projects?.map(({ id, name }) => [id, name])), [projects]);
  return (
    <p className={s.about}>
      <span>{describeEvents(integration, names)}</span>
      {provider.signed && (
        <span>
          <ShieldCheck size={14} aria-hidden="true" /> Signed
        </span>
      )}
      {integration.ordered && (
        <span>
          <ListOrdered size={14} aria-hidden="true" /> In order,{' '}
          {integration.whenExhausted === 'block' ? 'blocks when exhausted' : 'continues when exhausted'}
        </span>
      )}
      {integration.oldSecretUntil && (
        <span>
          Requests are also signed with the previous secret until{' '}
          <Time at={integration.oldSecretUntil} format="full" />
        </span>
      )}
    </p>
  );
}

/** Says why the integration does not deliver, and what to do about it. */
function Warning({ integration }: Pick<FrameProps, 'integration'>) {
  const { push } = useFilters();
  const toggle = useToggle(integration);
  const { tone, label, why } = getIntegrationState(integration);
  if (why === undefined) return null;
  const { disabledAt, enabled } = integration;
  const enable = async () => {
    await toggle(true);
    push({ edit: 'replay', replay: 'missing', replayFrom: disabledAt ?? undefined });
  };
  return (
    <div className={s.warning} data-tone={tone}>
      <p>
        <b>{label}</b>
        {!enabled && disabledAt && (
          <>
            {' '}
            since <Time at={disabledAt} format="full" />
          </>
        )}
        . {why}
      </p>
      {!enabled && (
        <Can call="updateAddon">
          <Button onClick={() => void enable().catch(toastError)}>Enable and replay…</Button>
        </Can>
      )}
    </div>
  );
}
