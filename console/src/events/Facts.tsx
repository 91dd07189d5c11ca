import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { environmentsQuery, projectsQuery } from '../shell/queries.ts';
import { Env } from '../ui/Env.tsx';
import { formatCount } from '../ui/words.ts';
import s from './events.module.css';
import { type Event, groupQuery } from './queries.ts';

/** Lists an event's properties other than its change. */
export function Facts({ event }: { event: Event }) {
  const { project, environment, ip, groupId, tags, importedFrom } = event;
  const projectName = useQuery(projectsQuery).data?.find(({ id }) => id === project)?.name;
  const type = useQuery(environmentsQuery).data?.environments.find(({ name }) => name === environment)?.type;
  const group = useQuery(groupQuery(groupId)).data;
  return (
    <>
      <h2>Details</h2>
      <dl className={s.facts}>
        <dt>Type</dt>
        <dd>
          {event.label} <span className="mono muted">{event.type}</span>
        </dd>
        {importedFrom && (
          <>
            <dt>Origin</dt>
            <dd>Imported from Unleash, where it was event {importedFrom.id}</dd>
          </>
        )}
        {project && (
          <>
            <dt>Project</dt>
            <dd>
              <Link to="/projects/$projectId" params={{ projectId: project }}>
                {projectName ?? project}
              </Link>
            </dd>
          </>
        )}
        {environment && (
          <>
            <dt>Environment</dt>
            <dd>
              <Env name={environment} type={type} />
            </dd>
          </>
        )}
        {ip && (
          <>
            <dt>IP address</dt>
            <dd className="mono">{ip}</dd>
          </>
        )}
        <dt>Group</dt>
        <dd>
          <Link to="/events" search={{ groupId: `IS:${groupId}` }} className="mono">
            {groupId.slice(0, 8)}
          </Link>
          {group && <span className="muted">· {formatCount(group.total, 'event')}</span>}
        </dd>
        <dt>Tags</dt>
        <dd>
          {tags.length === 0 && <span className="muted">none</span>}
          {tags.map(tag => (
            <span key={`${tag.type}:${tag.value}`} className={s.tag}>
              {tag.type}:{tag.value}
            </span>
          ))}
        </dd>
      </dl>
    </>
  );
}
