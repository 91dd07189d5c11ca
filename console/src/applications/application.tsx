import { Button } from '@mantine/core';
import { useQueries, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { FlagLink } from '../features/FlagLink.tsx';
import { Can } from '../ui/Can.tsx';
import { DangerAction, DangerZone } from '../ui/DangerZone.tsx';
import { Empty } from '../ui/Empty.tsx';
import { Env } from '../ui/Env.tsx';
import { Failure } from '../ui/Failure.tsx';
import { Page } from '../ui/Page.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import { State } from '../ui/State.tsx';
import { Time } from '../ui/Time.tsx';
import { toast } from '../ui/toasts.ts';
import { useFilters } from '../ui/useFilters.ts';
import { formatCount } from '../ui/words.ts';
import s from './applications.module.css';
import { EditApplication } from './EditApplication.tsx';
import {
  type ApplicationDetails,
  type ApplicationOverview,
  applicationQuery,
  deleteApplication,
  instancesQuery,
  overviewQuery,
} from './queries.ts';

/** Shows an application with its SDKs, its instances, and the flags that it asks for. */
export function ApplicationPage() {
  const { appName = '' } = useParams({ strict: false });
  const { search, push, replace } = useFilters();
  const application = useQuery(applicationQuery(appName));
  const overview = useQuery(overviewQuery(appName));
  const error = application.error ?? overview.error;
  const retry = () => void Promise.all([application.refetch(), overview.refetch()]);
  return (
    <Page
      title={appName}
      crumbs={
        <>
          <Link to="/applications">Applications</Link> / <span>{appName}</span>
        </>
      }
      note={
        application.data?.lastSeenAt && (
          <>
            seen <Time at={application.data.lastSeenAt} />
          </>
        )
      }
      actions={
        <Can call="updateApplication">
          <Button onClick={() => push({ edit: 'application' })}>Edit…</Button>
        </Can>
      }
      head={application.data && <About application={application.data} />}
    >
      {application.data && search.edit === 'application' && (
        <EditApplication application={application.data} onClose={() => replace({ edit: undefined })} />
      )}
      {error && !application.data && <Failure error={error} onRetry={retry} />}
      {!error && !(application.data && overview.data) && <Skeleton />}
      {application.data && overview.data && (
        <div className={s.page}>
          <Problems overview={overview.data} />
          <Environments overview={overview.data} />
          <Flags flags={application.data.seenToggles} />
          <Instances appName={appName} overview={overview.data} />
          <Deletion appName={appName} />
        </div>
      )}
    </Page>
  );
}

function About({ application: { description, url } }: { application: ApplicationDetails }) {
  // Only http URLs become links, because other schemes such as javascript: could run code.
  const isLink = url !== undefined && /^https?:\/\//.test(url);
  if (!description && !isLink) return null;
  return (
    <p className={s.about}>
      {description}{' '}
      {isLink && (
        <a href={url} rel="noreferrer">
          {url}
        </a>
      )}
    </p>
  );
}

/** Flags and strategy types that do not exist, and instances that do not pick up changes. */
function Problems({ overview: { environments, issues } }: { overview: ApplicationOverview }) {
  const flags = new Map<string, string[]>();
  for (const { name, issues: environmentIssues } of environments)
    for (const flag of environmentIssues.missingFeatures) flags.set(flag, [...(flags.get(flag) ?? []), name]);
  const laggingInstances = environments.flatMap(({ name, issues: environmentIssues }) =>
    environmentIssues.instancesBehind.map(instance => ({ ...instance, environment: name })),
  );
  if (flags.size + laggingInstances.length + issues.missingStrategies.length === 0) return null;
  return (
    <Section title="Problems" about="Instances that do not pick up changes, and flags that do not exist">
      <ul>
        {laggingInstances.map(({ instanceId, environment, since, lastSeen }, index) => (
          // Several instances can have the same id.
          // biome-ignore lint/suspicious/noArrayIndexKey: the list is replaced as a whole
          <li key={index}>
            <TriangleAlert size={14} aria-hidden="true" className={s.warn} />
            <span className={s.subject}>
              <span>
                <b className="mono">{instanceId}</b> keeps asking for flags but has not picked up any changes
                since <Time at={since} />. Look for errors in the log of its SDK.
              </span>
              <span className="muted">{environment}</span>
            </span>
            <LastSeen at={lastSeen} />
          </li>
        ))}
        {[...flags].map(([flag, environmentNames]) => (
          <li key={flag}>
            <TriangleAlert size={14} aria-hidden="true" className={s.warn} />
            <span className={s.subject}>
              <span>
                There is no flag <b className="mono">{flag}</b>, so the application uses its default value.
              </span>
              <span className="muted">{environmentNames.join(', ')}</span>
            </span>
          </li>
        ))}
        {issues.missingStrategies.map(strategy => (
          <li key={strategy}>
            <TriangleAlert size={14} aria-hidden="true" className={s.warn} />
            <span className={s.subject}>
              There is no strategy type <b className="mono">{strategy}</b>.
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Environments({ overview: { environments } }: { overview: ApplicationOverview }) {
  return (
    <Section title="Environments" about="Running instances and their SDKs">
      {environments.length === 0 && <Empty>No instance ran in the last two days.</Empty>}
      <ul>
        {environments.map(({ name, instanceCount, sdks, lastSeen }) => (
          <li key={name}>
            <span className={s.subject}>
              <Env name={name} />
              <span className="muted">{sdks.join(', ') || 'SDK unknown'}</span>
            </span>
            <span>{formatCount(instanceCount, 'instance')}</span>
            <LastSeen at={lastSeen} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Flags({ flags }: { flags: ApplicationDetails['seenToggles'] }) {
  return (
    <Section title="Flags" about="Flags that the application asked for">
      {flags.length === 0 && <Empty>The application has not asked for any flags.</Empty>}
      <ul>
        {flags.map(({ name, project, archived, stale, environments, lastSeenAt }) => (
          <li key={name}>
            <span className={s.subject}>
              <FlagLink project={project} name={name} />
              <span className="muted">{environments.join(', ')}</span>
              {archived && <State tone="bad">Archived</State>}
              {!archived && stale && <State tone="warn">Stale</State>}
            </span>
            <LastSeen at={lastSeenAt} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Instances({
  appName,
  overview: { environments },
}: {
  appName: string;
  overview: ApplicationOverview;
}) {
  const instances = useQueries({
    queries: environments.map(({ name }) => instancesQuery(appName, name)),
    combine: results =>
      results.flatMap(({ data = [] }, index) =>
        data.map(instance => ({ ...instance, environment: environments[index]?.name ?? '' })),
      ),
  });
  if (instances.length === 0) return null;
  return (
    <Section title="Instances" about="At most 100 in each environment, most recently seen first">
      <ul>
        {instances.map(({ instanceId, environment, sdkVersion, lastSeen }) => (
          <li key={`${instanceId} ${environment}`}>
            <span className={s.subject}>
              <span className="mono">{instanceId}</span>
              <span className="muted">{environment}</span>
            </span>
            <span className="muted">{sdkVersion ?? 'SDK unknown'}</span>
            <LastSeen at={lastSeen} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Deletion({ appName }: { appName: string }) {
  const navigate = useNavigate();
  const remove = async () => {
    await deleteApplication(appName);
    await navigate({ to: '/applications' });
    toast({ message: `Deleted ${appName}.` });
  };
  return (
    <DangerZone>
      <DangerAction
        title="Delete this application"
        action="Delete application"
        call="updateApplication"
        onConfirm={remove}
      >
        Its description and instances are deleted. If it is still running, it appears again with its next
        request.
      </DangerAction>
    </DangerZone>
  );
}

function Section({ title, about, children }: { title: string; about: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <header>
        <h2>{title}</h2>
        <span className="muted">{about}</span>
      </header>
      {children}
    </section>
  );
}

function LastSeen({ at }: { at: string }) {
  return (
    <span className={`muted ${s.seen}`}>
      seen <Time at={at} />
    </span>
  );
}
