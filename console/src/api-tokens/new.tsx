import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Check, MonitorOff } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import { Connect } from '../connect/Connect.tsx';
import { tokenUsageQuery } from '../connect/queries.ts';
import { projectsQuery } from '../shell/queries.ts';
import { FormAndEffect } from '../ui/FormAndEffect.tsx';
import { Page } from '../ui/Page.tsx';
import { findNameProblems } from '../ui/problems.ts';
import { RailSection } from '../ui/RailSection.tsx';
import { State } from '../ui/State.tsx';
import { Time } from '../ui/Time.tsx';
import { useCreation } from '../ui/useCreation.ts';
import { useFilters } from '../ui/useFilters.ts';
import { useUnsaved } from '../ui/useUnsaved.tsx';
import s from './api-tokens.module.css';
import { type Draft, emptyDraft, toBody } from './draft.ts';
import { Facts } from './Facts.tsx';
import { type ApiToken, createToken, tokensQuery } from './queries.ts';
import { ReadableFlags } from './ReadableFlags.tsx';
import { UsedBy } from './TokenDetail.tsx';
import { TokenForm } from './TokenForm.tsx';
import { getReplacementAppName } from './words.ts';

/** Creates an API token for any projects. */
export const NewTokenPage = () => <NewToken />;

/** Creates a token, shows its secret once, and waits for the first SDK that uses it. The URL can prefill the fields. */
export function NewToken(props: { project?: string; path?: string }) {
  const { search } = useFilters();
  const {
    edit,
    name = '',
    environment = emptyDraft.environment,
    projects = [],
    expires = '',
    replaces,
  } = search;
  const initialDraft: Draft = {
    ...emptyDraft,
    name: String(name),
    type: edit === 'frontend' ? 'frontend' : 'backend',
    environment: String(environment),
    expires: String(expires),
    projects: [projects].flat().filter(id => id !== '*'),
  };
  return (
    <Steps
      key={JSON.stringify(initialDraft)}
      initialDraft={initialDraft}
      {...(typeof replaces === 'string' && { replaces: Number(replaces) })}
      {...props}
    />
  );
}

function Steps({
  initialDraft,
  replaces,
  project,
  path = '/admin/tokens',
}: {
  initialDraft: Draft;
  /** The id of the token that the new token replaces. */
  replaces?: number;
  project?: string;
  path?: string;
}) {
  const [creation, setCreated] = useState<{ token: ApiToken; name: string }>();
  const replacedToken = replaces !== undefined && (
    <ReplacedToken id={replaces} project={project} path={path} />
  );
  const getAppName = useAppName(replaces, project);
  if (creation)
    return (
      <Created
        token={creation.token}
        appName={getAppName(creation.name)}
        replacedToken={replacedToken}
        project={project}
        path={path}
      />
    );
  return (
    <CreationForm
      initialDraft={initialDraft}
      replacedToken={replacedToken}
      project={project}
      path={path}
      onCreated={(token, { name }) => setCreated({ token, name: name.trim() })}
    />
  );
}

/** Returns a function that returns the application name for the sample program. A new secret does not change the name. */
function useAppName(replaces: number | undefined, project: string | undefined): (newName: string) => string {
  const isReplacement = replaces !== undefined;
  const { data: tokens } = useQuery({ ...tokensQuery(project), enabled: isReplacement });
  const { data: applications = [] } = useQuery({ ...tokenUsageQuery(replaces ?? 0), enabled: isReplacement });
  const oldToken = tokens?.find(({ id }) => id === replaces);
  return newName =>
    isReplacement ? getReplacementAppName(oldToken?.tokenName ?? newName, applications) : newName;
}

/** Says what to do with the token that the new token replaces. */
function ReplacedToken({ id, project, path }: { id: number; project: string | undefined; path: string }) {
  const oldToken = useQuery(tokensQuery(project)).data?.find(token => token.id === id);
  const { data: applications = [] } = useQuery(tokenUsageQuery(id));
  if (!oldToken) return null;
  return (
    <RailSection title={`Old secret: ${oldToken.tokenName}`}>
      <p className={s.none}>
        Both tokens work, so you can change the secret in{' '}
        {applications.length === 0
          ? 'your applications'
          : applications.map(({ appName }) => appName).join(', ')}{' '}
        without downtime. Once no application uses the old token,{' '}
        <Link to={path} search={{ token: String(id) }} className={s.link}>
          delete {oldToken.tokenName}
        </Link>
        {oldToken.seenAt ? (
          <>
            . It was last used <Time at={oldToken.seenAt} />.
          </>
        ) : (
          '. No application has used it yet.'
        )}
      </p>
    </RailSection>
  );
}

function CreationForm({
  initialDraft,
  replacedToken,
  project,
  path,
  onCreated,
}: {
  initialDraft: Draft;
  replacedToken: ReactNode;
  project: string | undefined;
  path: string;
  onCreated(token: ApiToken, draft: Draft): void;
}) {
  const { draft, edit, submit, error, isPending, unsaved } = useCreation({
    draftKey: 'new-token',
    empty: initialDraft,
    send: async sent => ({ sent, token: await createToken(project, toBody(sent, project)) }),
    onSent: ({ sent, token }) => onCreated(token, sent),
  });
  return (
    <Page
      title={replacedToken ? 'Rotate the secret' : 'New token'}
      crumbs={<Link to={path}>API tokens</Link>}
    >
      <FormAndEffect
        as="page"
        title="Effect"
        onSubmit={submit}
        form={<TokenForm draft={draft} error={error} project={project} onChange={edit} />}
        creation={{
          action: 'Create token',
          call: project === undefined ? 'createApiToken' : 'createProjectApiToken',
          ...(project !== undefined && { project }),
          pending: isPending,
          problems: findNameProblems(draft.name),
          cancel: path,
        }}
      >
        <ReadableFlags
          projects={project === undefined ? draft.projects : [project]}
          environment={draft.environment}
          type={draft.type}
        />
        {replacedToken}
      </FormAndEffect>
      {unsaved.confirmation}
    </Page>
  );
}

const LEAVE_CONFIRMATION = {
  title: 'Leave without the secret?',
  action: 'Leave',
  text: 'You have not confirmed that you stored the secret. Halyard cannot show it again.',
};

function Created({
  token,
  appName,
  replacedToken,
  project,
  path,
}: {
  token: ApiToken;
  appName: string;
  replacedToken: ReactNode;
  project: string | undefined;
  path: string;
}) {
  const navigate = useNavigate();
  const [isStored, setStored] = useState(false);
  const projects = useQuery(projectsQuery).data;
  const projectNames = useMemo(() => new Map(projects?.map(({ id, name }) => [id, name])), [projects]);
  const { data: applications } = useQuery(tokenUsageQuery(token.id));
  const { confirmation } = useUnsaved(!isStored, () => {}, LEAVE_CONFIRMATION);
  const otherType = token.type === 'frontend' ? 'backend' : 'frontend';
  const createOther = (verb: string) => (
    <Link to={`${path}/new`} search={{ edit: otherType }} className={s.link}>
      {verb} a {otherType} token
    </Link>
  );
  return (
    <Page
      title={token.tokenName}
      crumbs={<Link to={path}>API tokens</Link>}
      note={
        <State tone="on" icon={<Check size={12} />}>
          Created
        </State>
      }
      actions={
        <>
          <a
            href={`/help/${token.type === 'frontend' ? 'how-to/use-a-browser-sdk' : 'how-to/use-a-server-sdk'}/`}
            target="_blank"
            rel="noreferrer"
            className={s.link}
          >
            How to connect an SDK
          </a>
          {!isStored && <span className={s.reason}>Confirm first that you have stored the secret</span>}
          <Button
            variant="filled"
            disabled={!isStored}
            onClick={() => void navigate({ to: path, search: { token: String(token.id) } })}
          >
            Done
          </Button>
        </>
      }
    >
      <FormAndEffect
        as="page"
        title="About this token"
        onSubmit={() => {}}
        form={
          <Connect
            token={token}
            project={project}
            appName={appName}
            isStored={isStored}
            onStored={setStored}
            wrongType={createOther('Create')}
          />
        }
      >
        <RailSection title="This token">
          <Facts token={token} projectNames={projectNames} />
        </RailSection>
        {replacedToken}
        <ReadableFlags
          projects={token.projects.filter(id => id !== '*')}
          environment={token.environment ?? ''}
          type={token.type === 'frontend' ? 'frontend' : 'backend'}
        />
        {token.type !== 'frontend' && (
          <div className={s.note}>
            <MonitorOff size={15} aria-hidden="true" />
            <span>Keep it on servers. For browsers and mobile apps, {createOther('create')}.</span>
          </div>
        )}
        <UsedBy applications={applications ?? []} emptyText="No application has used this token yet." />
      </FormAndEffect>
      {confirmation}
    </Page>
  );
}
