import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import { segmentsQuery } from '../features/queries.ts';
import { projectsQuery } from '../shell/queries.ts';
import { ListPage } from '../ui/ListPage.tsx';
import { Cell } from '../ui/Row.tsx';
import { Time } from '../ui/Time.tsx';
import { formatCount } from '../ui/words.ts';
import { lastChangesQuery, type Segment } from './queries.ts';
import s from './segments.module.css';

const getKey = ({ id }: Segment): string => String(id);

/** All segments that the user may read. */
export function SegmentsPage() {
  const { data, error, refetch } = useQuery(segmentsQuery);
  const { data: changes } = useQuery(lastChangesQuery);
  const { data: projects } = useQuery(projectsQuery);
  const navigate = useNavigate();
  const names = useMemo(() => new Map(projects?.map(({ id, name }) => [id, name])), [projects]);
  const getProjectName = useCallback(
    ({ project }: Segment) => (project === null ? 'All projects' : (names.get(project) ?? project)),
    [names],
  );
  const getSearchText = useCallback(
    (segment: Segment) => `${segment.name}\n${segment.description ?? ''}\n${getProjectName(segment)}`,
    [getProjectName],
  );
  const getLastChange = useCallback(
    ({ id, createdAt, createdBy }: Segment) => changes?.get(id) ?? { createdAt, createdBy },
    [changes],
  );
  const columns = useMemo(
    () => [
      { label: 'Segment', compare: (a: Segment, b: Segment) => a.name.localeCompare(b.name) },
      { label: 'Constraints' },
      { label: 'Project' },
      {
        label: 'Used by',
        compare: (a: Segment, b: Segment) => a.usedInFeatures - b.usedInFeatures,
      },
      {
        label: 'Last change',
        compare: (a: Segment, b: Segment) =>
          getLastChange(a).createdAt.localeCompare(getLastChange(b).createdAt),
      },
    ],
    [getLastChange],
  );
  const render = useCallback(
    (segment: Segment) => {
      const { createdBy, createdAt } = getLastChange(segment);
      return (
        <>
          <Cell variant="name">
            <Link to="/admin/segments/$segmentId" params={{ segmentId: getKey(segment) }} className="mono">
              {segment.name}
            </Link>
            {segment.description && <small>{segment.description}</small>}
          </Cell>
          <Cell variant="dim">{formatCount(segment.constraints.length, 'constraint')}</Cell>
          <Cell variant="dim">{getProjectName(segment)}</Cell>
          <Cell variant="dim">
            {segment.usedInFeatures === 0 ? (
              <span className="muted">not used</span>
            ) : (
              formatCount(segment.usedInFeatures, 'flag')
            )}
          </Cell>
          <Cell variant="dim">
            {createdBy}, <Time at={createdAt} />
          </Cell>
        </>
      );
    },
    [getProjectName, getLastChange],
  );
  return (
    <ListPage
      title="Segments"
      noun="segment"
      rows={data?.segments}
      error={error}
      onRetry={() => void refetch()}
      getKey={getKey}
      getSearchText={getSearchText}
      placeholder="Name or description"
      columns={columns}
      className={s.columns ?? ''}
      render={render}
      onOpen={segment =>
        void navigate({ to: '/admin/segments/$segmentId', params: { segmentId: getKey(segment) } })
      }
      create={{
        label: 'New segment',
        call: 'createSegment',
        run: () => void navigate({ to: '/admin/segments/new' }),
      }}
      empty="No segments yet. A segment is an audience that several flags share."
    />
  );
}
