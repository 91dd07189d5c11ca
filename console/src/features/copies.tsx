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
import { formatCount } from '../ui/words.ts';
import { FlagLink } from './FlagLink.tsx';
import { FlagFrame } from './Frame.tsx';
import { copiesQuery, driftQuery, type Feature } from './queries.ts';
import s from './tab.module.css';

/** Shows the flag's source and its copies, with their differences. */
export function FeatureCopiesPage() {
  return <FlagFrame>{feature => <Copies feature={feature} />}</FlagFrame>;
}

/** Lists the source and the copies. `?drift=<project>/<flag>` shows the differences between a copy and its source. */
function Copies({ feature }: { feature: Feature }) {
  const { search, push } = useFilters();
  const [, project, copy] = /^([^/]+)\/(.+)$/.exec(String(search.drift ?? '')) ?? [];
  return (
    <div className={s.tab}>
      {feature.clonedFrom && <Source feature={feature} source={feature.clonedFrom} />}
      <CopyList feature={feature} />
      {project && copy && (
        <DriftPanel
          path={{ projectId: project, featureName: copy }}
          onClose={() => push({ drift: undefined })}
        />
      )}
    </div>
  );
}

function Source({ feature, source }: { feature: Feature; source: NonNullable<Feature['clonedFrom']> }) {
  const path = { projectId: feature.project, featureName: feature.name };
  const { data: drift, error } = useQuery(driftQuery(path));
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
          {drift && <Differences path={path} count={drift.differences.length} />}
        </li>
      </ul>
    </section>
  );
}

function CopyList({ feature }: { feature: Feature }) {
  const path = { projectId: feature.project, featureName: feature.name };
  const { data, error, refetch } = useQuery(copiesQuery(path));
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
                    <Link to="/projects/$projectId/features/$featureName/clone" params={path} {...props} />
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
              path={{ projectId: copy.project, featureName: copy.feature }}
              count={copy.differences}
            />
          </li>
        ))}
      </ul>
      {data && data.total > data.copies.length && (
        <p className="muted">
          Showing the newest {data.copies.length} of {formatCount(data.total, 'copy', 'copies')}.
        </p>
      )}
    </section>
  );
}

/** Shows how many differences a copy has. */
function Differences({ path, count }: { path: { projectId: string; featureName: string }; count: number }) {
  const { push } = useFilters();
  if (count === 0) return <State tone="on">In sync</State>;
  return (
    <Button size="compact-xs" onClick={() => push({ drift: `${path.projectId}/${path.featureName}` })}>
      {formatCount(count, 'difference')} <span className="sr">of {path.featureName}</span>
    </Button>
  );
}
