import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Copy, GitFork } from 'lucide-react';
import { EventBrief } from '../ui/EventBrief.tsx';
import { Failure } from '../ui/Failure.tsx';
import { isFavoriteType } from '../ui/favorites.ts';
import { Person } from '../ui/Person.tsx';
import { Sentence } from '../ui/Sentence.tsx';
import { Time } from '../ui/Time.tsx';
import { formatCount } from '../ui/words.ts';
import { FlagHealth } from './FlagHealth.tsx';
import { FlagLink } from './FlagLink.tsx';
import s from './features.module.css';
import { Lifecycle } from './Lifecycle.tsx';
import { Links } from './Links.tsx';
import { Owners } from './Owners.tsx';
import {
  copiesQuery,
  driftQuery,
  type Feature,
  type FeaturePath,
  recentEventsQuery,
  useParents,
} from './queries.ts';
import { Section } from './Section.tsx';
import { describeRequirement } from './words.ts';

const MAX_SHOWN_COPIES = 5;
const MAX_SHOWN_CHANGES = 8;

/** The column on the right of the page, with the health, lifecycle, owners, recent changes, parents, links, source and copies. */
export function Rail({ feature }: { feature: Feature }) {
  return (
    <aside className={s.rail} aria-label="About this flag">
      {!feature.archived && <FlagHealth feature={feature} />}
      <Lifecycle feature={feature} />
      <Owners feature={feature} />
      <RecentChanges feature={feature} />
      <Relatives feature={feature} />
      <Links feature={feature} />
      <Copies feature={feature} />
    </aside>
  );
}

function RecentChanges({ feature }: { feature: Feature }) {
  const path = { projectId: feature.project, featureName: feature.name };
  const { data: events, error, refetch } = useQuery(recentEventsQuery(path));
  const changes = (events?.events ?? [])
    .filter(({ type }) => !isFavoriteType(type))
    .slice(0, MAX_SHOWN_CHANGES);
  return (
    <Section
      title="Recent changes"
      action={
        events && (
          <Link to="/projects/$projectId/features/$featureName/events" params={path}>
            All {events.total.toLocaleString('en')}
          </Link>
        )
      }
    >
      {error && !events && <Failure error={error} onRetry={() => void refetch()} />}
      <ol className={s.recent}>
        {changes.map(event => (
          <li key={event.id}>
            <Person name={event.createdBy} size={18} />
            <span>
              <Link to="/events/$eventId" params={{ eventId: String(event.id) }}>
                <Sentence event={event} short />
              </Link>
              <small>
                {event.environment && `${event.environment} · `}
                <Time at={event.createdAt} />
              </small>
              <EventBrief event={event} /> {event.comment && <q>{event.comment}</q>}
            </span>
          </li>
        ))}
      </ol>
    </Section>
  );
}

function Relatives({ feature }: { feature: Feature }) {
  const { dependencies, children, project } = feature;
  const parents = useParents(feature);
  return (
    <>
      {dependencies.length > 0 && (
        <Section title="Depends on">
          <ul>
            {dependencies.map(parent => (
              <li key={parent.feature}>
                <GitFork size={13} aria-hidden="true" />
                <FlagLink project={project} name={parent.feature} />
                <span className="muted">
                  {describeRequirement(parent)}
                  {describeState(parents.find(({ name }) => name === parent.feature))}
                </span>
              </li>
            ))}
          </ul>
        </Section>
      )}
      {children.length > 0 && (
        <Section title="Depend on this flag">
          <ul>
            {children.map(name => (
              <li key={name}>
                <GitFork size={13} aria-hidden="true" />
                <FlagLink project={project} name={name} />
              </li>
            ))}
          </ul>
        </Section>
      )}
    </>
  );
}

/** Describes where a parent is enabled, such as " · enabled in 2 of 3". Returns an empty string while the parent loads. */
function describeState(parent: Feature | undefined): string {
  if (!parent) return '';
  if (parent.archived) return ' · archived';
  const { length } = parent.environments;
  const enabledCount = parent.environments.filter(environment => environment.enabled).length;
  return enabledCount === 0 ? ' · disabled' : ` · enabled in ${enabledCount} of ${length}`;
}

/** Shows the source and the newest copies of the flag. Differences open on the Copies tab. */
function Copies({ feature }: { feature: Feature }) {
  const path = { projectId: feature.project, featureName: feature.name };
  const { data: drift } = useQuery({ ...driftQuery(path), enabled: feature.clonedFrom !== null });
  const copies = useQuery(copiesQuery(path)).data;
  return (
    <>
      {feature.clonedFrom && (
        <Section title="Copy of">
          <ul>
            <li>
              <Copy size={13} aria-hidden="true" />
              <FlagLink project={feature.clonedFrom.project} name={feature.clonedFrom.feature} />
              {drift && <Differences page={path} copy={path} count={drift.differences.length} />}
            </li>
          </ul>
        </Section>
      )}
      {copies && copies.total > 0 && (
        <Section
          title="Copies"
          action={
            <Link to="/projects/$projectId/features/$featureName/copies" params={path}>
              All {copies.total.toLocaleString('en')}
            </Link>
          }
        >
          <ul>
            {copies.copies.slice(0, MAX_SHOWN_COPIES).map(copy => (
              <li key={copy.feature}>
                <Copy size={13} aria-hidden="true" />
                <FlagLink project={copy.project} name={copy.feature} />
                <Differences
                  page={path}
                  copy={{ projectId: copy.project, featureName: copy.feature }}
                  count={copy.differences}
                />
              </li>
            ))}
          </ul>
        </Section>
      )}
    </>
  );
}

function Differences({ page, copy, count }: { page: FeaturePath; copy: FeaturePath; count: number }) {
  if (count === 0) return <span className="muted">in sync</span>;
  return (
    <span>
      <Link
        to="/projects/$projectId/features/$featureName/copies"
        params={page}
        search={{ drift: `${copy.projectId}/${copy.featureName}` }}
        className={s.drift}
      >
        {formatCount(count, 'difference')}
      </Link>
    </span>
  );
}
