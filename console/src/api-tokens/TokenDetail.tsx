import { Button } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { AppWindow } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { can } from '../api/can.ts';
import { loadChunk } from '../api/chunks.ts';
import { useMe } from '../api/me.ts';
import { Can } from '../ui/Can.tsx';
import { Confirm } from '../ui/Confirm.tsx';
import { DangerAction, DangerZone } from '../ui/DangerZone.tsx';
import { LastChange } from '../ui/LastChange.tsx';
import { RailSection } from '../ui/RailSection.tsx';
import { Detail } from '../ui/Split.tsx';
import { Time } from '../ui/Time.tsx';
import { toast } from '../ui/toasts.ts';
import { formatCount } from '../ui/words.ts';
import s from './api-tokens.module.css';
import { Facts } from './Facts.tsx';
import { LastValidDay } from './LastValidDay.tsx';
import { type ApiToken, deleteToken, type TokenUse, updateExpiry } from './queries.ts';
import { endOfDay, getReplacementExpiry, getReplacementName, isExpired } from './words.ts';

const ConnectExisting = lazy(() =>
  loadChunk(() => import('../connect/ConnectExisting.tsx')).then(module => ({
    default: module.ConnectExisting,
  })),
);

/** Shows a token's properties and applications next to the list, with a button that deletes the token. */
export function TokenDetail({
  token,
  project,
  path,
  projectNames,
  applications = [],
  onClose,
}: {
  token: ApiToken;
  project: string | undefined;
  path: string;
  projectNames: ReadonlyMap<string, string>;
  applications: readonly TokenUse[] | undefined;
  onClose(): void;
}) {
  const navigate = useNavigate();
  // Only a permission on the instance allows this, so the pages of a project do not offer it to everybody.
  const mayChangeExpiry = can(useMe(), 'updateApiToken');
  const remove = async () => {
    await deleteToken(project, token);
    await navigate({ to: path });
    toast({ message: `Deleted ${token.tokenName}.` });
  };
  return (
    <Detail
      heading
      label={token.tokenName}
      bar="API token"
      link={`${path}?token=${token.id}`}
      onClose={onClose}
    >
      <div className={s.detail}>
        <p className="mono">{token.secret}</p>
        <Facts token={token} projectNames={projectNames} />
        {token.type !== 'admin' && (
          <div className={s.buttons}>
            {(project === undefined || mayChangeExpiry) && <Expiry token={token} />}
            {token.type !== 'edge' && <Rotate token={token} project={project} path={path} />}
          </div>
        )}
        {token.type === 'admin' && (
          <p className={s.edge}>
            To replace it, create a token for a{' '}
            <Link to="/admin/service-accounts" className={s.link}>
              service account
            </Link>
            , which can have fewer permissions, and then delete this one.
          </p>
        )}
        {token.type === 'edge' && (
          <p className={s.edge}>
            An edge uses this token.{' '}
            <Link to="/admin/edges" search={{ edge: `token:${token.id}` }} className={s.link}>
              Open the edge
            </Link>
          </p>
        )}
        {token.type !== 'admin' && token.type !== 'edge' && !isExpired(token) && (
          <RailSection title="Connect an SDK">
            <Suspense>
              <ConnectExisting
                key={token.id}
                token={token}
                project={project}
                appName={applications[0]?.appName}
              />
            </Suspense>
          </RailSection>
        )}
        {token.type !== 'edge' && <UsedBy applications={applications} />}
        <LastChange
          subject={{
            types: ['api-token-created', 'api-token-updated'],
            text: token.tokenName,
            isAbout: ({ data }) => data?.tokenName === token.tokenName,
          }}
        />
        <DangerZone>
          <DangerAction
            title={`Delete ${token.tokenName}`}
            action="Delete token"
            call={project === undefined ? 'deleteApiToken' : 'deleteProjectApiToken'}
            {...(project !== undefined && { project })}
            onConfirm={remove}
          >
            {token.type === 'edge'
              ? 'Edges with this token reject all SDKs with 401 and delete their flags from disk.'
              : token.type === 'admin'
                ? 'Every server rejects it immediately. Applications that still use it get a 401.'
                : applications.length > 0
                  ? `${formatCount(applications.length, 'application')} used it in the last two days. SDKs with this token keep their flags but no longer get changes.`
                  : 'Every server rejects it immediately. SDKs with this token no longer get changes.'}
          </DangerAction>
        </DangerZone>
      </div>
    </Detail>
  );
}

/** Lists the applications that used a token, most recently seen first. */
export function UsedBy({
  applications,
  emptyText = 'No application has used this token in the last two days.',
}: {
  applications: readonly TokenUse[];
  emptyText?: string;
}) {
  return (
    <RailSection title="Used by" count={applications.length} noun="application">
      {applications.length === 0 && <p className={s.none}>{emptyText}</p>}
      <ul className={s.applications}>
        {applications.map(({ appName, environment, instances, lastSeen }) => (
          <li key={`${appName} ${environment}`}>
            <AppWindow size={15} aria-hidden="true" />
            <span>
              <Link to="/applications/$appName" params={{ appName }}>
                {appName}
              </Link>
              <small>
                {formatCount(instances, 'instance')} · {environment}
              </small>
            </span>
            <Time at={lastSeen} className="muted" />
          </li>
        ))}
      </ul>
    </RailSection>
  );
}

/** Links to the form for a new token that can read the same flags. The old token works until somebody deletes it. */
function Rotate({ token, project, path }: { token: ApiToken; project: string | undefined; path: string }) {
  return (
    <Can
      call={project === undefined ? 'createApiToken' : 'createProjectApiToken'}
      {...(project !== undefined && { project })}
    >
      <Button
        size="compact-xs"
        renderRoot={props => (
          <Link
            {...props}
            to={`${path}/new`}
            search={{
              edit: token.type,
              name: getReplacementName(token.tokenName),
              environment: token.environment ?? undefined,
              projects: token.projects,
              expires: getReplacementExpiry(token),
              replaces: String(token.id),
            }}
          />
        )}
      >
        Rotate the secret…
      </Button>
    </Can>
  );
}

/** Changes the day on which a token expires. */
function Expiry({ token }: { token: ApiToken }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div>
      <Can call="updateApiToken">
        <Button size="compact-xs" onClick={() => setOpen(true)}>
          Change the expiry…
        </Button>
      </Can>
      {isOpen && <ExpiryDialog token={token} onClose={() => setOpen(false)} />}
    </div>
  );
}

function ExpiryDialog({ token, onClose }: { token: ApiToken; onClose(): void }) {
  // The token can change while the dialog is open.
  const [seenExpiry, setSeenExpiry] = useState(token.expiresAt ?? null);
  const [date, setDate] = useState(seenExpiry?.slice(0, 10) ?? '');
  const save = async () => {
    const newExpiry = date === '' ? null : endOfDay(date);
    const storedExpiry = await updateExpiry(token, { seenExpiry, newExpiry });
    if (storedExpiry !== newExpiry) {
      setSeenExpiry(storedExpiry);
      throw new Error(
        `Somebody else changed the expiry to ${storedExpiry === null ? '“never”' : storedExpiry.slice(0, 10)} in the meantime. To overwrite it, save again.`,
      );
    }
    toast({ message: 'Expiry saved.' });
  };
  return (
    <Confirm
      opened
      title={`Change the expiry of ${token.tokenName}`}
      action="Save the expiry"
      onConfirm={save}
      onClose={onClose}
    >
      <LastValidDay value={date} onChange={setDate} />
    </Confirm>
  );
}
