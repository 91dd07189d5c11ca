import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Copy, ExternalLink, GitFork } from 'lucide-react';
import { DriftPanel } from '../clone/Drift.tsx';
import { Person } from '../ui/Person.tsx';
import { Sentence } from '../ui/Sentence.tsx';
import { Time } from '../ui/Time.tsx';
import { useFilters } from '../ui/useFilters.ts';
import { counted } from '../ui/words.ts';
import s from './features.module.css';
import { driftQuery, type Feature, recentEventsQuery } from './queries.ts';

/** The right side of the page: recent changes, parents, links, and the flag that this one was copied from. */
export function Rail({ feature }: { feature: Feature }) {
  const place = { projectId: feature.project, featureName: feature.name };
  const events = useQuery(recentEventsQuery(place)).data;
  return (
    <aside className={s.rail} aria-label="About this flag">
      <header>
        <h2>Recent changes</h2>
        {events && (
          <Link
            to="/projects/$projectId/events"
            params={{ projectId: feature.project }}
            search={{ feature: `IS:${feature.name}` }}
          >
            All {events.total.toLocaleString('en')}
          </Link>
        )}
      </header>
      <ol className={s.recent}>
        {events?.events.map(event => (
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
            </span>
          </li>
        ))}
      </ol>
      {feature.dependencies.length > 0 && (
        <>
          <h2>Depends on</h2>
          <ul>
            {feature.dependencies.map(parent => (
              <li key={parent.feature}>
                <GitFork size={13} aria-hidden="true" />
                <FlagLink project={feature.project} name={parent.feature} />
                <span className="muted">{parent.enabled ? 'must be enabled' : 'must be disabled'}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      {feature.children.length > 0 && (
        <>
          <h2>Depend on this flag</h2>
          <ul>
            {feature.children.map(name => (
              <li key={name}>
                <GitFork size={13} aria-hidden="true" />
                <FlagLink project={feature.project} name={name} />
              </li>
            ))}
          </ul>
        </>
      )}
      {feature.links.length > 0 && (
        <>
          <h2>Links</h2>
          <ul>
            {feature.links.map(link => (
              <li key={link.id}>
                <ExternalLink size={13} aria-hidden="true" />
                <a href={link.url} target="_blank" rel="noreferrer">
                  {link.title ?? link.url}
                </a>
              </li>
            ))}
          </ul>
        </>
      )}
      {feature.clonedFrom && <Source feature={feature} />}
    </aside>
  );
}

function Source({ feature }: { feature: Feature }) {
  const drift = useQuery(driftQuery({ projectId: feature.project, featureName: feature.name })).data;
  const { search, push } = useFilters();
  if (!feature.clonedFrom) return null;
  const { project, feature: name } = feature.clonedFrom;
  return (
    <>
      <h2>Copy of</h2>
      <ul>
        <li>
          <Copy size={13} aria-hidden="true" />
          <FlagLink project={project} name={name} />
          {drift?.inSync && <span className="muted">in sync</span>}
          {drift && !drift.inSync && (
            <button type="button" className={s.drift} onClick={() => push({ drift: 'shown' })}>
              {counted(drift.differences.length, 'difference')}
            </button>
          )}
        </li>
      </ul>
      {search.drift && <DriftPanel feature={feature} onClose={() => push({ drift: undefined })} />}
    </>
  );
}

function FlagLink({ project, name }: { project: string; name: string }) {
  return (
    <Link
      to="/projects/$projectId/features/$featureName"
      params={{ projectId: project, featureName: name }}
      className="mono"
    >
      {name}
    </Link>
  );
}
