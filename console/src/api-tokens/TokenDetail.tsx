import { Button, TextInput } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { AppWindow } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { loadChunk } from '../api/chunks.ts';
import { Can } from '../ui/Can.tsx';
import { Confirm } from '../ui/Confirm.tsx';
import { DangerAction, DangerZone } from '../ui/DangerZone.tsx';
import { LastChange } from '../ui/LastChange.tsx';
import { RailSection } from '../ui/RailSection.tsx';
import { Detail } from '../ui/Split.tsx';
import { Time } from '../ui/Time.tsx';
import { toast } from '../ui/toasts.ts';
import { counted } from '../ui/words.ts';
import s from './api-tokens.module.css';
import { Facts } from './Facts.tsx';
import { type ApiToken, deleteToken, type TokenUse, updateExpiry } from './queries.ts';
import { endOfDay, isExpired, nextName } from './words.ts';

const ConnectExisting = lazy(() =>
  loadChunk(() => import('../connect/ConnectExisting.tsx')).then(module => ({
    default: module.ConnectExisting,
  })),
);

/** A token at the right of the list: what it is for, who uses it, and how to revoke it. */
export function TokenDetail({
  token,
  project,
  path,
  names,
  used = [],
  onClose,
}: {
  token: ApiToken;
  project: string | undefined;
  path: string;
  names: ReadonlyMap<string, string>;
  used: readonly TokenUse[] | undefined;
  onClose(): void;
}) {
  const navigate = useNavigate();
  const remove = async () => {
    await deleteToken(project, token);
    await navigate({ to: path });
    toast({ message: `${token.tokenName} is deleted.` });
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
        <Facts token={token} names={names} />
        {token.type !== 'admin' && (
          <div className={s.buttons}>
            {project === undefined && <Expiry token={token} />}
            {token.type !== 'edge' && <Replace token={token} project={project} path={path} />}
          </div>
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
              <ConnectExisting key={token.id} token={token} project={project} />
            </Suspense>
          </RailSection>
        )}
        {token.type !== 'edge' && <SeenBy used={used} />}
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
              : used.length > 0
                ? `${counted(used.length, 'application')} used it in the last two days. SDKs with this token keep their flags but get no more changes.`
                : 'Every server rejects it immediately. SDKs with this token get no more changes.'}
          </DangerAction>
        </DangerZone>
      </div>
    </Detail>
  );
}

/** The applications that used a token, most recently seen first. */
export function SeenBy({
  used,
  none = 'No application has used this token in the last two days.',
}: {
  used: readonly TokenUse[];
  none?: string;
}) {
  return (
    <RailSection title="Seen by" count={used.length} noun="application">
      {used.length === 0 && <p className={s.none}>{none}</p>}
      <ul className={s.applications}>
        {used.map(({ appName, environment, instances, lastSeen }) => (
          <li key={`${appName} ${environment}`}>
            <AppWindow size={15} aria-hidden="true" />
            <span>
              <Link to="/applications/$appName" params={{ appName }}>
                {appName}
              </Link>
              <small>
                {counted(instances, 'instance')} · {environment}
              </small>
            </span>
            <Time at={lastSeen} className="muted" />
          </li>
        ))}
      </ul>
    </RailSection>
  );
}

/** Leads to a new token for the same flags. The old one works until somebody deletes it, so that no application loses access. */
function Replace({ token, project, path }: { token: ApiToken; project: string | undefined; path: string }) {
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
              name: nextName(token.tokenName),
              environment: token.environment ?? undefined,
              projects: token.projects,
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
  const [date, setDate] = useState(token.expiresAt?.slice(0, 10) ?? '');
  const save = async () => {
    await updateExpiry(token, date === '' ? null : endOfDay(date));
    toast({ message: 'Expiry saved.' });
  };
  return (
    <div>
      <Can call="updateApiToken">
        <Button size="compact-xs" onClick={() => setOpen(true)}>
          Change the expiry…
        </Button>
      </Can>
      <Confirm
        opened={isOpen}
        title={`Change the expiry of ${token.tokenName}`}
        action="Save the expiry"
        onConfirm={save}
        onClose={() => setOpen(false)}
      >
        <TextInput
          label="Last valid day (UTC)"
          description="Leave it empty for a token that never expires."
          type="date"
          value={date}
          onChange={event => setDate(event.target.value)}
        />
      </Confirm>
    </div>
  );
}
