import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import { segmentsQuery } from '../features/queries.ts';
import { projectsQuery } from '../shell/queries.ts';
import { ListPage } from '../ui/ListPage.tsx';
import { Cell } from '../ui/Row.tsx';
import { Time } from '../ui/Time.tsx';
import { counted } from '../ui/words.ts';
import { lastChangesQuery, type Segment } from './queries.ts';
import s from './segments.module.css';

const keyOf = ({ id }: Segment): string => String(id);

/** All segments that the user may read. */
export function SegmentsPage() {
  const { data, error, refetch } = useQuery(segmentsQuery);
  const { data: changes } = useQuery(lastChangesQuery);
  const { data: projects } = useQuery(projectsQuery);
  const navigate = useNavigate();
  const names = useMemo(() => new Map(projects?.map(({ id, name }) => [id, name])), [projects]);
  const projectOf = useCallback(
    ({ project }: Segment) => (project === null ? 'All projects' : (names.get(project) ?? project)),
    [names],
  );
  const textOf = useCallback(
    (segment: Segment) => `${segment.name}\n${segment.description ?? ''}\n${projectOf(segment)}`,
    [projectOf],
  );
  const changeOf = useCallback(
    ({ id, createdAt, createdBy }: Segment) => changes?.get(id) ?? { createdAt, createdBy },
    [changes],
  );
  const columns = useMemo(
    () => [
      { label: 'Segment', compare: (one: Segment, other: Segment) => one.name.localeCompare(other.name) },
      { label: 'Constraints' },
      { label: 'Project' },
      {
        label: 'Used by',
        compare: (one: Segment, other: Segment) => one.usedInFeatures - other.usedInFeatures,
      },
      {
        label: 'Last change',
        compare: (one: Segment, other: Segment) =>
          changeOf(one).createdAt.localeCompare(changeOf(other).createdAt),
      },
    ],
    [changeOf],
  );
  const render = useCallback(
    (segment: Segment) => {
      const { createdBy, createdAt } = changeOf(segment);
      return (
        <>
          <Cell as="name">
            <Link to="/admin/segments/$segmentId" params={{ segmentId: keyOf(segment) }} className="mono">
              {segment.name}
            </Link>
            {segment.description && <small>{segment.description}</small>}
          </Cell>
          <Cell as="dim">{counted(segment.constraints.length, 'constraint')}</Cell>
          <Cell as="dim">{projectOf(segment)}</Cell>
          <Cell as="dim">
            {segment.usedInFeatures === 0 ? (
              <span className="muted">not used</span>
            ) : (
              counted(segment.usedInFeatures, 'flag')
            )}
          </Cell>
          <Cell as="dim">
            {createdBy}, <Time at={createdAt} />
          </Cell>
        </>
      );
    },
    [projectOf, changeOf],
  );
  return (
    <ListPage
      title="Segments"
      noun="segment"
      rows={data?.segments}
      error={error}
      onRetry={() => void refetch()}
      keyOf={keyOf}
      textOf={textOf}
      placeholder="Name or description"
      columns={columns}
      className={s.columns ?? ''}
      render={render}
      onOpen={segment =>
        void navigate({ to: '/admin/segments/$segmentId', params: { segmentId: keyOf(segment) } })
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
