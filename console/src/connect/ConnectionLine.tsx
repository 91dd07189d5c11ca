import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Time } from '../ui/Time.tsx';
import s from './connect.module.css';
import { LiveLine } from './LiveLine.tsx';
import { connectingApplicationQuery, seenAtQuery, tokenUsageQuery } from './queries.ts';
import { type Connection, deriveConnection, formatSdk } from './state.ts';

/** Tracks a token's first connection: the first request, the SDK's registration, and the first flag evaluation. */
export function useConnection(
  /** Undefined until the token exists. */
  token:
    | { id: number; environment: string | null; createdAt: string; project?: string | undefined }
    | undefined,
): Connection & { error: Error | null } {
  const id = token?.id ?? 0;
  const usage = useQuery({ ...tokenUsageQuery(id), enabled: token !== undefined });
  const lastSeen = useQuery({
    ...seenAtQuery(id, token?.project),
    // Needed only for clients without an SDK, because they do not register an application.
    enabled: usage.data?.length === 0,
  });
  const application = usage.data?.[0];
  const details = useQuery({
    ...connectingApplicationQuery(application?.appName ?? ''),
    enabled: application !== undefined,
  });
  if (!token) return { state: 'waiting', error: null };
  return {
    ...deriveConnection(token, application, details.data?.seenToggles ?? [], lastSeen.data ?? undefined),
    error: usage.error,
  };
}

/** Shows the live progress of a token's first connection. */
export function ConnectionLine({ connection }: { connection: ReturnType<typeof useConnection> }) {
  const { state, application, flag, seenAt, error } = connection;
  if (state === 'waiting')
    return (
      <LiveLine
        state={state}
        note={
          error
            ? `${error.message} Retrying.`
            : 'This line turns green when an SDK connects. You can leave the page.'
        }
      >
        Waiting for the first SDK…
      </LiveLine>
    );
  if (!application)
    return (
      <LiveLine state={state} note="No SDK has registered. OpenFeature providers and curl do not register.">
        A client used the token{' '}
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
      note={flag === undefined ? 'Waiting for its first report.' : formatSdk(application.sdkVersion)}
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
