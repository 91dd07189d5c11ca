import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { Conflict } from '../ui/Conflict.tsx';
import { CreateBar } from '../ui/CreateBar.tsx';
import { Failure, NotFound } from '../ui/Failure.tsx';
import { Page } from '../ui/Page.tsx';
import { SaveBar } from '../ui/SaveBar.tsx';
import { Secret } from '../ui/Secret.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import { toast } from '../ui/toasts.ts';
import { useDraft } from '../ui/useDraft.ts';
import { useEditor } from '../ui/useEditor.tsx';
import { useUnsaved } from '../ui/useUnsaved.tsx';
import type { Version } from '../ui/versions.ts';
import {
  createEmptyDraft,
  type Draft,
  findMissingParameters,
  toDraft,
  toInput,
  withoutSecrets,
} from './draft.ts';
import { IntegrationFrame } from './Frame.tsx';
import { IntegrationForm } from './IntegrationForm.tsx';
import s from './integrations.module.css';
import {
  createIntegration,
  findChange,
  integrationQuery,
  integrationsQuery,
  type Provider,
  updateIntegration,
} from './queries.ts';

/** Creates an integration with the provider in the URL. */
export function NewIntegrationPage() {
  const { provider: name = '' } = useParams({ strict: false });
  const { data, error, refetch } = useQuery(integrationsQuery);
  const provider = data?.providers.find(candidate => candidate.name === name);
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
  const navigate = useNavigate();
  const { draft, change, isChanged, forget } = useDraft(
    `new-integration:${provider.name}`,
    createEmptyDraft(provider),
    withoutSecrets(provider, createEmptyDraft(provider)),
  );
  const open = (id: number) =>
    void navigate({
      to: '/integrations/$integrationId/deliveries',
      params: { integrationId: String(id) },
      ignoreBlocker: true,
    });
  const create = useMutation({
    mutationFn: () => createIntegration(toInput(draft, provider.name)),
    onSuccess: async ({ id, signingSecret }) => {
      forget();
      if (signingSecret === undefined) open(id);
    },
  });
  const createdIntegration = create.data;
  const { confirmation } = useUnsaved(!createdIntegration && isChanged, forget);
  return (
    <Page
      title={`New integration: ${provider.displayName}`}
      crumbs={<Link to="/integrations">Integrations</Link>}
      head={<p className={s.about}>{provider.description}</p>}
    >
      <form
        id="new-integration"
        className={s.editor}
        onSubmit={event => {
          event.preventDefault();
          create.mutate();
        }}
      >
        <IntegrationForm provider={provider} draft={draft} error={create.error} onChange={change} />
      </form>
      <CreateBar
        form="new-integration"
        action="Create integration"
        call="createAddon"
        pending={create.isPending}
        problems={findMissingParameters(provider, draft)}
        cancel="/integrations"
      />
      {createdIntegration?.signingSecret !== undefined && (
        <Secret
          title="Signing secret"
          secret={createdIntegration.signingSecret}
          onStored={() => open(createdIntegration.id)}
        >
          The receiver verifies requests with this secret. Copy it now. Halyard does not show it again.
        </Secret>
      )}
      {confirmation}
    </Page>
  );
}

/** Edits an integration's settings. */
export function IntegrationPage() {
  const { integrationId = '' } = useParams({ strict: false });
  const integrationResult = useQuery(integrationQuery(integrationId));
  const integration = integrationResult.data?.integration;
  const listResult = useQuery(integrationsQuery);
  const provider = listResult.data?.providers.find(({ name }) => name === integration?.provider);
  const error = integrationResult.error ?? listResult.error;
  if (integration && provider)
    return (
      <IntegrationFrame integration={integration} provider={provider}>
        <Settings
          key={integrationId}
          savedVersion={{
            id: integration.id,
            draft: toDraft(integration, provider),
            etag: integrationResult.data?.etag ?? '*',
          }}
          provider={provider}
        />
      </IntegrationFrame>
    );
  return (
    <Page title="Integration">
      {error ? <Failure error={error} onRetry={() => void integrationResult.refetch()} /> : <Skeleton />}
    </Page>
  );
}

function Settings({
  savedVersion,
  provider,
}: {
  savedVersion: Version<Draft> & { id: number };
  provider: Provider;
}) {
  const client = useQueryClient();
  const { id } = savedVersion;
  const read = async () => {
    const { integration, etag } = await client.fetchQuery({ ...integrationQuery(String(id)), staleTime: 0 });
    return { draft: toDraft(integration, provider), etag };
  };
  const { draft, changes, change, error, conflict, confirmation, ...editor } = useEditor<Draft>({
    draftKey: `integration:${id}`,
    current: savedVersion,
    read,
    save: (sent, etag) => updateIntegration(id, toInput(sent, provider.name), etag),
    findChange: () => findChange(id),
    onSaved: async () => {
      toast({ message: 'Settings saved. They apply to new events.' });
      return await read();
    },
    withoutSecrets: withoutSecrets(provider, savedVersion.draft),
  });
  if (conflict)
    return (
      <div className={s.editor}>
        <Conflict noun="integration" {...conflict} />
        {confirmation}
      </div>
    );
  return (
    <div className={s.editor}>
      <IntegrationForm provider={provider} draft={draft} error={error} onChange={change} />
      <SaveBar changes={changes} pending={editor.isPending} onSave={editor.save} onDiscard={editor.discard} />
      {confirmation}
    </div>
  );
}
