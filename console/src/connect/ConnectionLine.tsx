import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Time } from '../ui/Time.tsx';
import s from './connect.module.css';
import { LiveLine } from './LiveLine.tsx';
import { connectingApplicationQuery, seenAtQuery, useOfTokenQuery } from './queries.ts';
import { type Connection, connectionOf, sdkOf } from './state.ts';

/**
 * How far the connection has come: no request, a request without an SDK, an SDK that registered, or one that evaluated a flag.
 */
export function useConnection(
  /** Undefined before it exists. */
  token:
    | { id: number; environment: string | null; createdAt: string; project?: string | undefined }
    | undefined,
): Connection & { error: Error | null } {
  const id = token?.id ?? 0;
  const use = useQuery({ ...useOfTokenQuery(id), enabled: token !== undefined });
  const seen = useQuery({
    ...seenAtQuery(id, token?.project),
    // Only a program without an SDK needs it.
    enabled: use.data?.length === 0,
  });
  const application = use.data?.[0];
  const details = useQuery({
    ...connectingApplicationQuery(application?.appName ?? ''),
    enabled: application !== undefined,
  });
  if (!token) return { state: 'waiting', error: null };
  return {
    ...connectionOf(token, application, details.data?.seenToggles ?? [], seen.data ?? undefined),
    error: use.error,
  };
}

/** Says how far a token has come, by itself. */
export function ConnectionLine({ connection }: { connection: ReturnType<typeof useConnection> }) {
  const { state, application, flag, seenAt, error } = connection;
  if (state === 'waiting')
    return (
      <LiveLine
        state={state}
        note={
          error ? `${error.message} Retrying.` : 'This line turns green by itself. You can leave the page.'
        }
      >
        Waiting for the first SDK…
      </LiveLine>
    );
  if (!application)
    return (
      <LiveLine state={state} note="No SDK has registered. OpenFeature providers and curl do not register.">
        A program used the token{' '}
        {seenAt && (
          <b>
            <Time at={seenAt} />
          </b>
        )}
      </LiveLine>
    );
  return (
    <LiveLine
      state={state}
      note={flag === undefined ? 'Waiting for its first report.' : sdkOf(application.sdkVersion)}
      link={
        <Link to="/applications/$appName" params={{ appName: application.appName }} className={s.link}>
          Open application
        </Link>
      }
    >
      <b>{application.appName}</b> registered <Time at={application.lastSeen} />
      {flag !== undefined && (
        <>
          {' '}
          · evaluated <b className="mono">{flag}</b>
        </>
      )}
    </LiveLine>
  );
}
