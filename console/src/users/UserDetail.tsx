import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Ban, KeyRound, LogOut, Pencil, UserCheck } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useMe } from '../api/me.ts';
import { Can } from '../ui/Can.tsx';
import { Confirm } from '../ui/Confirm.tsx';
import { DangerAction, DangerZone } from '../ui/DangerZone.tsx';
import { Failure } from '../ui/Failure.tsx';
import { LastChange } from '../ui/LastChange.tsx';
import { Person } from '../ui/Person.tsx';
import { RailSection } from '../ui/RailSection.tsx';
import { Secret } from '../ui/Secret.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import { Detail } from '../ui/Split.tsx';
import { State } from '../ui/State.tsx';
import { Time } from '../ui/Time.tsx';
import { toast } from '../ui/toasts.ts';
import { counted } from '../ui/words.ts';
import { AccessList } from './AccessList.tsx';
import {
  type Access,
  accessQuery,
  createResetLink,
  deactivateUser,
  deleteUser,
  endSessions,
  ownedQuery,
  reactivateUser,
  subjectOf,
  type User,
} from './queries.ts';
import { type RootRole, roleNameOf } from './roles.ts';
import s from './users.module.css';
import { loginOf, nameOf, signInOf } from './words.ts';

type Props = { user: User; roles: readonly RootRole[]; onEdit(): void; onClose(): void };

/** A user: how they log in, what they may do in every project and why, and what ends when they are deactivated or deleted. */
export function UserDetail({ user, roles, onEdit, onClose }: Props) {
  const { data: access, error, refetch } = useQuery(accessQuery(user.id));
  const name = nameOf(user);
  return (
    <Detail label={name} bar={`User ${user.id}`} link={`/admin/users?user=${user.id}`} onClose={onClose}>
      <div className={s.who}>
        <Person name={name} size={40} />
        <div>
          <h2>{name}</h2>
          <p>{loginOf(user)}</p>
        </div>
        {user.deactivatedAt !== null && (
          <State tone="off" icon={<Ban size={12} aria-hidden="true" />}>
            Deactivated <Time at={user.deactivatedAt} />
          </State>
        )}
      </div>
      <Actions user={user} access={access} onEdit={onEdit} />
      {error && !access && <Failure error={error} onRetry={() => void refetch()} />}
      {!error && !access && <Skeleton rows={4} />}
      {access && (
        <>
          <Facts user={user} roles={roles} access={access} />
          <AccessList user={user.id} name={name} access={access} />
          <Owned user={user} />
          <LastChange subject={subjectOf(user.id)} />
          <div className={s.danger}>
            <Deletion user={user} access={access} />
          </div>
        </>
      )}
    </Detail>
  );
}

function Actions({ user, access, onEdit }: { user: User; access: Access | undefined; onEdit(): void }) {
  const [asked, ask] = useState<'reset' | 'sessions' | 'reactivate'>();
  const [link, setLink] = useState<string>();
  const name = nameOf(user);
  const sessions = access?.sessions.length ?? 0;
  return (
    <div className={s.actions}>
      <Can call="updateUser">
        <Button leftSection={<Pencil size={14} />} onClick={onEdit}>
          Edit…
        </Button>
      </Can>
      {user.deactivatedAt === null ? (
        <Can call="createResetLink">
          <Button leftSection={<KeyRound size={14} />} onClick={() => ask('reset')}>
            {user.hasPassword ? 'Reset password…' : 'New link…'}
          </Button>
        </Can>
      ) : (
        <Can call="reactivateUser">
          <Button leftSection={<UserCheck size={14} />} onClick={() => ask('reactivate')}>
            Reactivate…
          </Button>
        </Can>
      )}
      {sessions > 0 && (
        <Can call="endSessionsOfUser">
          <Button leftSection={<LogOut size={14} />} onClick={() => ask('sessions')}>
            End sessions…
          </Button>
        </Can>
      )}
      <Confirm
        opened={asked === 'reset'}
        title={user.hasPassword ? `Reset the password of ${name}?` : `Create a link for ${name}?`}
        action="Create link"
        onConfirm={async () => {
          const { resetPasswordUrl } = await createResetLink(user.id);
          setLink(resetPasswordUrl);
        }}
        onClose={() => ask(undefined)}
      >
        <p>
          You get a link that lets {name} set a new password. It works once, for a day, and replaces an
          earlier link.{' '}
          {user.hasPassword && 'The current password and open sessions work until the link is used.'}
        </p>
      </Confirm>
      <Confirm
        opened={asked === 'reactivate'}
        title={`Reactivate ${name}?`}
        action="Reactivate"
        onConfirm={async () => {
          await reactivateUser(user.id);
          toast({ message: `${name} can log in again.` });
        }}
        onClose={() => ask(undefined)}
      >
        <p>
          {name} can log in again, with the roles and groups shown here. Sessions and personal tokens that
          ended with the deactivation are not restored.
        </p>
      </Confirm>
      <Confirm
        opened={asked === 'sessions'}
        title={`Log ${name} out everywhere?`}
        action={`End ${counted(sessions, 'session')}`}
        danger
        onConfirm={async () => {
          await endSessions(user.id);
          toast({ message: `Ended the sessions of ${name}.` });
        }}
        onClose={() => ask(undefined)}
      >
        <p>
          {name} has to log in again on every device. Personal tokens keep working, and unsaved input stays in
          the open pages.
        </p>
      </Confirm>
      {link !== undefined && (
        <Secret
          title={`Password link for ${name}`}
          secret={link}
          label="Copy link"
          onStored={() => setLink(undefined)}
        >
          {`Send this link to ${name}. It works once, for a day. Halyard does not show it again.`}
        </Secret>
      )}
    </div>
  );
}

function Facts({ user, roles, access }: { user: User; roles: readonly RootRole[]; access: Access }) {
  const [last] = access.sessions;
  const used = access.tokens.map(({ seenAt }) => seenAt ?? '').toSorted();
  const lastUse = used.at(-1);
  return (
    <dl className={s.facts}>
      <Fact label="Role">
        <b>{roleNameOf(roles, user.rootRole)}</b> on this instance
      </Fact>
      <Fact label="Groups">
        {access.groups.length === 0 && <span className={s.none}>none</span>}
        {access.groups.map(({ id, name }) => (
          <Link key={id} to={`/admin/groups/${id}`} className={s.tag}>
            {name}
          </Link>
        ))}
      </Fact>
      <Fact label="Sign-in">
        {signInOf(user)}
        {access.sessions.length > 0 && ` · ${counted(access.sessions.length, 'session')}`}
      </Fact>
      <Fact label="Last seen">
        {user.seenAt ? <Time at={user.seenAt} /> : 'never'}
        {last?.ip && (
          <>
            {' '}
            from <span className="mono">{last.ip}</span>
          </>
        )}
      </Fact>
      <Fact label="Tokens">
        {access.tokens.length === 0 ? 'none' : counted(access.tokens.length, 'personal token')}
        {lastUse && (
          <>
            , used <Time at={lastUse} />
          </>
        )}
      </Fact>
      <Fact label="Created">
        <Time at={user.createdAt} as="date" />
      </Fact>
    </dl>
  );
}

/** What somebody else must take over before the user leaves. */
function Owned({ user }: { user: User }) {
  const { data } = useQuery(ownedQuery(user.id));
  if (!data || data.featureCount + data.projectCount === 0) return null;
  return (
    <RailSection
      title="Owns"
      aside={[
        data.featureCount > 0 && counted(data.featureCount, 'flag'),
        data.projectCount > 0 && counted(data.projectCount, 'project'),
      ]
        .filter(one => one !== false)
        .join(', ')}
    >
      <ul className={s.owned}>
        {data.projects.map(({ id, name }) => (
          <li key={id}>
            <Link to="/projects/$projectId" params={{ projectId: id }}>
              {name}
            </Link>{' '}
            <span className="muted">project</span>
          </li>
        ))}
        {data.features.map(({ name, project, owners }) => (
          <li key={name}>
            <Link
              to="/projects/$projectId/features/$featureName"
              params={{ projectId: project, featureName: name }}
              className="mono"
            >
              {name}
            </Link>{' '}
            {owners === 1 && <span className="muted">only owner</span>}
          </li>
        ))}
      </ul>
    </RailSection>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </>
  );
}

/** Names in the dialog. The panel has them all. */
const NAMED = 5;

function Deletion({ user, access }: { user: User; access: Access }) {
  const me = useMe();
  const { data: owned } = useQuery(ownedQuery(user.id));
  const ownedNames = [...(owned?.projects ?? []), ...(owned?.features ?? [])].map(one => one.name);
  const others = (owned ? owned.projectCount + owned.featureCount : 0) - Math.min(NAMED, ownedNames.length);
  const roles = access.projects.filter(({ grants }) => grants.some(({ group }) => group === undefined));
  const name = nameOf(user);
  const ended = [
    access.sessions.length > 0 && counted(access.sessions.length, 'session'),
    access.tokens.length > 0 && counted(access.tokens.length, 'personal token'),
  ].filter(one => one !== false);
  const lost = [
    ...ended,
    roles.length > 0 && `roles in ${counted(roles.length, 'project')}`,
    access.groups.length > 0 && `membership in ${counted(access.groups.length, 'group')}`,
  ].filter(one => one !== false);
  return (
    <DangerZone>
      {user.deactivatedAt === null && (
        <DangerAction
          title={`Deactivate ${name}`}
          action="Deactivate"
          call="deactivateUser"
          blocked={
            user.id === me.user.id ? 'You cannot deactivate yourself here. Ask a different admin.' : undefined
          }
          onConfirm={async () => {
            await deactivateUser(user.id);
            toast({ message: `Deactivated ${name}.` });
          }}
        >
          <p>
            {ended.length > 0 ? `Ends ${new Intl.ListFormat('en').format(ended)} immediately. ` : ''}
            {name} cannot log in until somebody reactivates them. Roles and groups stay.
          </p>
          {ownedNames.length > 0 && (
            <p>
              {name} owns{' '}
              {new Intl.ListFormat('en').format([
                ...ownedNames.slice(0, NAMED),
                ...(others > 0 ? [`${others} more`] : []),
              ])}
              , which may need a different owner.
            </p>
          )}
        </DangerAction>
      )}
      <DangerAction
        title={`Delete ${name}`}
        action="Delete user"
        call="deleteUser"
        blocked={
          user.id === me.user.id ? 'You cannot delete yourself here. Ask a different admin.' : undefined
        }
        typed={user.username ?? user.email ?? name}
        onConfirm={async () => {
          await deleteUser(user.id);
          toast({ message: `Deleted ${name}.` });
        }}
      >
        <p>
          {lost.length > 0 ? `Ends ${new Intl.ListFormat('en').format(lost)}. ` : ''}Events keep the name, and
          what {name} created stays.
        </p>
      </DangerAction>
    </DangerZone>
  );
}
