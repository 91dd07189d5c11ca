import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Circle, CircleCheck } from 'lucide-react';
import type { ReactNode } from 'react';
import { projectsQuery } from '../shell/queries.ts';
import s from './home.module.css';
import { flagCountQuery, sdkTokensQuery } from './queries.ts';

/** The first request of an SDK is no event. */
const REFRESH_MS = 5000;

/** Three steps with live ticks, until a project beyond `default` exists. */
export function FirstSteps() {
  const { data: projects } = useQuery(projectsQuery);
  const isNew = projects?.every(({ id }) => id === 'default') ?? false;
  const { data: flags = 0 } = useQuery({ ...flagCountQuery, enabled: isNew });
  const { data: tokens = [] } = useQuery({ ...sdkTokensQuery, enabled: isNew, refetchInterval: REFRESH_MS });
  if (!isNew) return null;
  return (
    <section className={s.section} aria-label="First steps">
      <h2>First steps</h2>
      <ol className={s.list}>
        <Step done={flags > 0}>
          <Link to="/projects/$projectId" params={{ projectId: 'default' }} search={{ edit: 'new' }}>
            Create a flag
          </Link>
        </Step>
        <Step done={tokens.length > 0}>
          Create an API token with <code className="mono">POST /api/admin/api-tokens</code> (
          <a href="/docs/">API reference</a>)
        </Step>
        <Step done={tokens.some(({ seenAt }) => seenAt !== null)}>Connect an SDK with the token</Step>
      </ol>
    </section>
  );
}

function Step({ done, children }: { done: boolean; children: ReactNode }) {
  return (
    <li>
      {done ? (
        <CircleCheck size={16} className={s.done} aria-label="Done" />
      ) : (
        <Circle size={16} aria-label="To do" />
      )}
      <span>{children}</span>
    </li>
  );
}
