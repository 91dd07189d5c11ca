import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { Plus, Shapes } from 'lucide-react';
import { type Segment, segmentsQuery } from '../features/queries.ts';
import { describeConstraint, toPlainText } from '../features/words.ts';
import { Empty } from '../ui/Empty.tsx';
import { Failure } from '../ui/Failure.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import { Time } from '../ui/Time.tsx';
import { formatCount } from '../ui/words.ts';
import { ProjectPage } from './Frame.tsx';
import s from './Segments.module.css';

/** Lists the segments that the project's strategies can use: its own segments, then those that all projects share. */
export function ProjectSegmentsPage() {
  const { projectId = '' } = useParams({ strict: false });
  const { data, error, refetch } = useQuery(segmentsQuery);
  const usableSegments = data?.segments.filter(({ project }) => project === projectId || project === null);
  const ownSegments = usableSegments?.filter(({ project }) => project !== null) ?? [];
  const sharedSegments = usableSegments?.filter(({ project }) => project === null) ?? [];
  return (
    <ProjectPage
      projectId={projectId}
      part="Segments"
      actions={
        <Button
          renderRoot={props => <Link {...props} to="/admin/segments/new" search={{ project: projectId }} />}
          leftSection={<Plus size={14} />}
        >
          New segment
        </Button>
      }
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <section className={s.page} tabIndex={0} aria-label="Segments">
        {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
        {!error && !data && <Skeleton rows={5} />}
        {usableSegments?.length === 0 && (
          <Empty icon={<Shapes size={22} />}>
            No segments yet. A segment is a group of users that several strategies share.
          </Empty>
        )}
        {ownSegments.length > 0 && <Segments title="In this project" segments={ownSegments} />}
        {sharedSegments.length > 0 && <Segments title="In all projects" segments={sharedSegments} />}
      </section>
    </ProjectPage>
  );
}

function Segments({ title, segments }: { title: string; segments: readonly Segment[] }) {
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <ul>
        {segments.map(({ id, name, description, constraints, usedInFeatures, createdAt, createdBy }) => (
          <li key={id}>
            <span className={s.what}>
              <Link to="/admin/segments/$segmentId" params={{ segmentId: String(id) }} className="mono">
                {name}
              </Link>
              <small>
                {description ||
                  constraints.map(constraint => toPlainText(describeConstraint(constraint))).join(' and ') ||
                  'everyone'}
              </small>
            </span>
            <span className="muted">used by {formatCount(usedInFeatures, 'flag')}</span>
            <span className="muted">
              {createdBy}, <Time at={createdAt} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
