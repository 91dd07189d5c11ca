import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Star, TriangleAlert } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { can } from '../api/can.ts';
import { loadChunk } from '../api/chunks.ts';
import { useMe, useMissingPermissions } from '../api/me.ts';
import { favoritesQuery, integrationsQuery, projectsQuery } from '../shell/queries.ts';
import { EventBrief } from '../ui/EventBrief.tsx';
import { Failure } from '../ui/Failure.tsx';
import { Page } from '../ui/Page.tsx';
import { Person } from '../ui/Person.tsx';
import { makeProjectLabeler } from '../ui/project-options.ts';
import { Sentence } from '../ui/Sentence.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import { Time } from '../ui/Time.tsx';
import { formatCount } from '../ui/words.ts';
import s from './home.module.css';
import { latestEventsQuery, PROJECT } from './queries.ts';

// Loaded on demand, because the first run needs scripts that later visits do not need.
const FirstRun = lazy(() =>
  loadChunk(() => import('./FirstRun.tsx')).then(module => ({ default: module.FirstRun })),
);
const STORAGE_KEY = 'halyard-first-run';

/** Shows the first-run steps in a new instance, until a second project exists or the user hides them. */
export function HomePage() {
  const me = useMe();
  const { data: projects } = useQuery(projectsQuery);
  const [isHidden, setHidden] = useState(() => localStorage.getItem(STORAGE_KEY) === 'hidden');
  const isNewInstance =
    projects?.length === 1 && projects[0]?.id === PROJECT && can(me, 'createFeature', { project: PROJECT });
  if (!isNewInstance || isHidden) return <Overview />;
  return (
    <Suspense fallback={<Page title="Home" />}>
      <FirstRun
        onHide={() => {
          localStorage.setItem(STORAGE_KEY, 'hidden');
          setHidden(true);
        }}
      />
    </Suspense>
  );
}

/** Shows favorite flags, projects, the latest events and failing integrations. */
function Overview() {
  return (
    <Page title="Home">
      <div className={s.columns}>
        <div>
          <FailingIntegrations />
          <LatestEvents />
        </div>
        <div>
          <Favorites />
          <Projects />
        </div>
      </div>
    </Page>
  );
}

function Section({ title, more, children }: { title: string; more?: ReactNode; children: ReactNode }) {
  return (
    <section className={s.section} aria-label={title}>
      <h2>
        {title}
        {more}
      </h2>
      {children}
    </section>
  );
}

function LatestEvents() {
  const events = useQuery(latestEventsQuery);
  return (
    <Section title="Latest events" more={<Link to="/events">All events</Link>}>
      {events.error && <Failure error={events.error} onRetry={() => void events.refetch()} />}
      {events.isPending && <Skeleton rows={5} />}
      <ul className={s.list}>
        {events.data?.map(event => (
          <li key={event.id}>
            <Person name={event.createdBy} size={22} />
            <Link to="/events/$eventId" params={{ eventId: String(event.id) }} className={s.event}>
              <Sentence event={event} /> <EventBrief event={event} />
            </Link>
            <Time at={event.createdAt} className={s.time} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function FailingIntegrations() {
  const { data: integrations = [] } = useQuery(integrationsQuery);
  const maySeeDeliveries = useMissingPermissions('getIntegrationEvents').length === 0;
  const failingIntegrations = integrations.filter(
    ({ enabled, failingSince }) => enabled && failingSince !== null,
  );
  if (failingIntegrations.length === 0) return null;
  return (
    <Section title="Failing integrations">
      <ul className={s.list}>
        {failingIntegrations.map(({ id, provider, description, failingSince }) => (
          <li key={id}>
            <TriangleAlert size={16} className={s.bad} aria-hidden="true" />
            <Link to={`/integrations/${id}${maySeeDeliveries ? '/deliveries' : ''}`} className={s.event}>
              {description || provider}
            </Link>
            <span className={s.time}>
              {failingSince !== null && <Time at={failingSince} format="since" />}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Favorites() {
  const { data: favorites = [] } = useQuery(favoritesQuery);
  if (favorites.length === 0) return null;
  return (
    <Section title="Favorites">
      <ul className={s.list}>
        {favorites.map(({ name, project, environments }) => (
          <li key={name}>
            <Star size={14} fill="currentColor" className={s.favorite} aria-hidden="true" />
            <span className={s.favoriteFlag}>
              <Link
                className={s.flag}
                to="/projects/$projectId/features/$featureName"
                params={{ projectId: project, featureName: name }}
              >
                {name}
              </Link>
              <small>{describeState(environments)}</small>
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

type Environment = { name: string; enabled: boolean; blockedBy?: string };

/** Describes where a flag is enabled, such as "enabled in development, blocked in production". A disabled parent blocks an enabled flag. */
function describeState(environments: readonly Environment[]): string {
  const enabledEnvironments = environments.filter(environment => environment.enabled);
  const parts = [
    ['enabled in', enabledEnvironments.filter(({ blockedBy }) => !blockedBy)],
    ['blocked in', enabledEnvironments.filter(({ blockedBy }) => blockedBy)],
  ] as const;
  const phrases = parts.flatMap(([label, members]) =>
    members.length === 0 ? [] : [`${label} ${members.map(({ name }) => name).join(', ')}`],
  );
  return phrases.join(', ') || 'disabled in every environment';
}

const MAX_SHOWN_PROJECTS = 12;

function Projects() {
  const { data: projects = [], error, refetch } = useQuery(projectsQuery);
  const label = makeProjectLabeler(projects);
  return (
    <Section title="Projects" more={<Link to="/projects">All projects</Link>}>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      <ul className={s.list}>
        {projects.slice(0, MAX_SHOWN_PROJECTS).map(({ id, name, featureCount, members }) => (
          <li key={id}>
            <Link to="/projects/$projectId" params={{ projectId: id }} className={s.event}>
              <b>{label({ id, name })}</b>
            </Link>
            <span className={s.time}>
              {formatCount(featureCount, 'flag')} · {formatCount(members, 'member')}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
