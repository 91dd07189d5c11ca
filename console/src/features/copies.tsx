import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Copy, CopyPlus } from 'lucide-react';
import { DriftPanel } from '../clone/Drift.tsx';
import { Can } from '../ui/Can.tsx';
import { Empty } from '../ui/Empty.tsx';
import { Failure } from '../ui/Failure.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import { State } from '../ui/State.tsx';
import { Time } from '../ui/Time.tsx';
import { useFilters } from '../ui/useFilters.ts';
import { counted } from '../ui/words.ts';
import { FlagLink } from './FlagLink.tsx';
import { FlagFrame } from './Frame.tsx';
import { copiesQuery, driftQuery, type Feature } from './queries.ts';
import s from './tab.module.css';

/** The flag that this one was cloned from, and the flags that were cloned from it, with their differences. */
export function FeatureCopiesPage() {
  return <FlagFrame>{feature => <Copies feature={feature} />}</FlagFrame>;
}

/** `?drift=<project>/<flag>` shows the differences between a copy and its source. */
function Copies({ feature }: { feature: Feature }) {
  const { search, push } = useFilters();
  const [, project, copy] = /^([^/]+)\/(.+)$/.exec(String(search.drift ?? '')) ?? [];
  return (
    <div className={s.tab}>
      {feature.clonedFrom && <Source feature={feature} source={feature.clonedFrom} />}
      <List feature={feature} />
      {project && copy && (
        <DriftPanel
          place={{ projectId: project, featureName: copy }}
          onClose={() => push({ drift: undefined })}
        />
      )}
    </div>
  );
}

function Source({ feature, source }: { feature: Feature; source: NonNullable<Feature['clonedFrom']> }) {
  const place = { projectId: feature.project, featureName: feature.name };
  const { data: drift, error } = useQuery(driftQuery(place));
  return (
    <section aria-label="Source">
      <header>
        <h2>Source</h2>
        <span className="muted">The flag that this flag was cloned from</span>
      </header>
      <ul>
        <li>
          <Copy size={14} aria-hidden="true" />
          <span className={s.what}>
            {drift ? (
              <FlagLink project={drift.source.project} name={drift.source.feature} />
            ) : (
              <span className="mono">{source.feature}</span>
            )}
            {drift?.source.archived && <State tone="off">Archived</State>}
            {error && <span className="muted">The source was deleted, or you cannot read it.</span>}
          </span>
          {drift && <Differences place={place} count={drift.differences.length} />}
        </li>
      </ul>
    </section>
  );
}

function List({ feature }: { feature: Feature }) {
  const place = { projectId: feature.project, featureName: feature.name };
  const { data, error, refetch } = useQuery(copiesQuery(place));
  return (
    <section aria-label="Copies">
      <header>
        <h2>Copies</h2>
        <span className="muted">Flags that were cloned from this flag</span>
      </header>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton rows={2} />}
      {data?.copies.length === 0 && (
        <Empty
          action={
            !feature.archived && (
              <Can call="cloneFeature">
                <Button
                  leftSection={<CopyPlus size={14} />}
                  renderRoot={props => (
                    <Link to="/projects/$projectId/features/$featureName/clone" params={place} {...props} />
                  )}
                >
                  Clone this flag…
                </Button>
              </Can>
            )
          }
        >
          This flag has no copies.
        </Empty>
      )}
      <ul>
        {data?.copies.map(copy => (
          <li key={copy.feature} aria-label={copy.feature}>
            <Copy size={14} aria-hidden="true" />
            <span className={s.what}>
              <FlagLink project={copy.project} name={copy.feature} />
              {copy.project !== feature.project && <span className="muted">in {copy.project}</span>}
              {copy.archived && <State tone="off">Archived</State>}
            </span>
            <span className="muted">
              cloned <Time at={copy.createdAt} />
            </span>
            <Differences
              place={{ projectId: copy.project, featureName: copy.feature }}
              count={copy.differences}
            />
          </li>
        ))}
      </ul>
      {data && data.total > data.copies.length && (
        <p className="muted">
          The list has the newest {data.copies.length} of {counted(data.total, 'copy', 'copies')}.
        </p>
      )}
    </section>
  );
}

/** How far a copy is from its source. */
function Differences({ place, count }: { place: { projectId: string; featureName: string }; count: number }) {
  const { push } = useFilters();
  if (count === 0) return <State tone="on">In sync</State>;
  return (
    <Button size="compact-xs" onClick={() => push({ drift: `${place.projectId}/${place.featureName}` })}>
      {counted(count, 'difference')} <span className="sr">of {place.featureName}</span>
    </Button>
  );
}
