import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { CircleAlert, Lock, SearchX } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { loadChunk } from '../api/chunks.ts';
import { RequestError } from '../api/errors.ts';
import s from './Failure.module.css';

const GrantingRoles = lazy(() =>
  loadChunk(() => import('../roles/GrantingRoles.tsx')).then(module => ({ default: module.GrantingRoles })),
);

/**
 * Says that a part of the page failed to load, with the error's id and a retry button. The rest of the page keeps working. A
 * missing permission (403) and a missing page (404) have their own messages.
 */
export function Failure({ error, onRetry }: { error: unknown; onRetry?(): void }) {
  const status = error instanceof RequestError ? error.status : undefined;
  const id = error instanceof RequestError ? error.id : undefined;
  const message = error instanceof Error ? error.message : String(error);
  if (status === 404) return <NotFound message={message} />;
  return (
    <div className={s.failure} role="alert" data-tone={status === 403 ? 'off' : 'bad'}>
      {status === 403 ? <Lock size={18} aria-hidden="true" /> : <CircleAlert size={18} aria-hidden="true" />}
      <div>
        <h2>{status === 403 ? 'You need a different permission' : 'This part did not load'}</h2>
        <p>{message}</p>
        {status === 403 && (
          <Suspense>
            <GrantingRoles message={message} />
          </Suspense>
        )}
        {id && status !== 403 && (
          <p className="muted">
            Error <span className="mono">{id}</span>
          </p>
        )}
        {onRetry && status !== 403 && <Button onClick={onRetry}>Retry</Button>}
      </div>
    </div>
  );
}

/** A page that does not exist, or that the user cannot read. Both look the same. */
export function NotFound({
  title = 'Not found, or you cannot read it',
  message,
}: {
  title?: string;
  message?: string;
}) {
  return (
    <div className={s.failure} data-tone="off">
      <SearchX size={18} aria-hidden="true" />
      <div>
        <h2>{title}</h2>
        {message && <p>{message}</p>}
        <p>
          <Link to="/flags" className={s.link}>
            Search all flags
          </Link>
        </p>
      </div>
    </div>
  );
}

/** The messages of a rejected form that do not belong to a field. */
export function FormErrors({ messages }: { messages: readonly string[] }) {
  if (messages.length === 0) return null;
  return (
    <div className={s.form} role="alert">
      {messages.map(message => (
        <p key={message}>{message}</p>
      ))}
    </div>
  );
}
