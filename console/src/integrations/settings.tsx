import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { Can } from '../ui/Can.tsx';
import { changesOf } from '../ui/diff.ts';
import { Failure, NotFound } from '../ui/Failure.tsx';
import { Page } from '../ui/Page.tsx';
import { SaveBar } from '../ui/SaveBar.tsx';
import { Secret } from '../ui/Secret.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import { toast } from '../ui/toasts.ts';
import { useUnsaved } from '../ui/useUnsaved.tsx';
import { draftOf, emptyDraft, inputOf } from './draft.ts';
import { IntegrationFrame } from './Frame.tsx';
import { IntegrationForm } from './IntegrationForm.tsx';
import s from './integrations.module.css';
import {
  createIntegration,
  type Integration,
  integrationQuery,
  integrationsQuery,
  type Provider,
  refresh,
  updateIntegration,
} from './queries.ts';

/** Creates an integration from the parameters of its provider. */
export function NewIntegrationPage() {
  const { provider: name = '' } = useParams({ strict: false });
  const { data, error, refetch } = useQuery(integrationsQuery);
  const provider = data?.providers.find(one => one.name === name);
  if (provider) return <NewIntegration key={name} provider={provider} />;
  return (
    <Page title="New integration">
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!error && !data && <Skeleton />}
      {data && <NotFound message={`There is no provider "${name}".`} />}
    </Page>
  );
}

function NewIntegration({ provider }: { provider: Provider }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [draft, setDraft] = useState(() => emptyDraft(provider));
  const open = (id: number) =>
    void navigate({
      to: '/integrations/$integrationId/deliveries',
      params: { integrationId: String(id) },
      ignoreBlocker: true,
    });
  const create = useMutation({
    mutationFn: () => createIntegration(inputOf(draft, provider.name)),
    onSuccess: async ({ id, signingSecret }) => {
      await refresh(client);
      if (signingSecret === undefined) open(id);
    },
  });
  const created = create.data;
  const { question } = useUnsaved(!created && changesOf(emptyDraft(provider), draft).length > 0);
  return (
    <Page
      title={`New integration: ${provider.displayName}`}
      crumbs={
        <>
          <Link to="/integrations">Integrations</Link> / New
        </>
      }
      head={<p className={s.about}>{provider.description}</p>}
    >
      <form
        className={s.editor}
        onSubmit={event => {
          event.preventDefault();
          create.mutate();
        }}
      >
        <IntegrationForm provider={provider} draft={draft} error={create.error} onChange={setDraft} />
        <footer className={s.submit}>
          <Button component={Link} to="/integrations">
            Cancel
          </Button>
          <Can call="createAddon">
            <Button type="submit" variant="filled" loading={create.isPending}>
              Create integration
            </Button>
          </Can>
        </footer>
      </form>
      {created?.signingSecret !== undefined && (
        <Secret title="Signing secret" secret={created.signingSecret} onStored={() => open(created.id)}>
          The receiver verifies requests with this secret. Copy it now. Halyard does not show it again.
        </Secret>
      )}
      {question}
    </Page>
  );
}

/** The settings of an integration. */
export function IntegrationPage() {
  const { integrationId = '' } = useParams({ strict: false });
  const integration = useQuery(integrationQuery(integrationId));
  const list = useQuery(integrationsQuery);
  const provider = list.data?.providers.find(({ name }) => name === integration.data?.provider);
  const error = integration.error ?? list.error;
  if (integration.data && provider)
    return (
      <IntegrationFrame integration={integration.data} provider={provider}>
        <Settings key={integrationId} integration={integration.data} provider={provider} />
      </IntegrationFrame>
    );
  return (
    <Page title="Integration">
      {error ? <Failure error={error} onRetry={() => void integration.refetch()} /> : <Skeleton />}
    </Page>
  );
}

function Settings({ integration, provider }: { integration: Integration; provider: Provider }) {
  const client = useQueryClient();
  const saved = draftOf(integration, provider);
  // undefined: no change, so that changes by somebody else appear.
  const [edited, setEdited] = useState<typeof saved>();
  const draft = edited ?? saved;
  const save = useMutation({
    mutationFn: (sent: typeof saved) => updateIntegration(integration.id, inputOf(sent, provider.name)),
    onSuccess: async (_, sent) => {
      await refresh(client);
      // Input that arrived while the request ran stays.
      setEdited(latest => (latest === sent ? undefined : latest));
      toast({ message: 'Settings saved. They apply from the next event on.' });
    },
  });
  const changes = changesOf(saved, draft);
  const { question } = useUnsaved(changes.length > 0);
  const discard = () => {
    setEdited(undefined);
    save.reset();
  };
  return (
    <div className={s.editor}>
      <IntegrationForm
        provider={provider}
        draft={draft}
        error={save.error}
        onChange={next => {
          setEdited(next);
          if (save.isError) save.reset();
        }}
      />
      <SaveBar
        changes={changes}
        pending={save.isPending}
        onSave={() => save.mutate(draft)}
        onDiscard={discard}
      />
      {question}
    </div>
  );
}
