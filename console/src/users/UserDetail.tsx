import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Ban, KeyRound, LogOut, Pencil, UserCheck } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useMe } from '../api/me.ts';
import { Can } from '../ui/Can.tsx';
import { Confirm } from '../ui/Confirm.tsx';
import { escapeText } from '../ui/caller-text.ts';
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
import { formatCount } from '../ui/words.ts';
import { AccessList } from './AccessList.tsx';
import { HandOverDialog } from './HandOver.tsx';
import {
  type Access,
  accessQuery,
  buildSubject,
  createResetLink,
  deactivateUser,
  deleteUser,
  endSessions,
  ownedQuery,
  reactivateUser,
  type User,
} from './queries.ts';
import { getRoleName, type RootRole } from './roles.ts';
import s from './users.module.css';
import {
  describeReactivation,
  describeSignIn,
  getDisplayName,
  getLogin,
  isInvited,
  needsLink,
} from './words.ts';

type Props = { user: User; roles: readonly RootRole[]; onEdit(): void; onClose(): void };

/** Shows how a user logs in, what the user may do in each project and why, and the consequences of deactivating or deleting the user. */
export function UserDetail({ user, roles, onEdit, onClose }: Props) {
  const { data: access, error, refetch } = useQuery(accessQuery(user.id));
  const name = getDisplayName(user);
  return (
    <Detail label={name} bar={`User ${user.id}`} link={`/admin/users?user=${user.id}`} onClose={onClose}>
      <div className={s.who}>
        <Person name={name} size={40} />
        <div>
          <h2>{name}</h2>
          <p>{getLogin(user)}</p>
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
          {isInvited(user) && hasNoRoleInProjects(access) && <NextStep name={name} />}
          <AccessList user={user.id} name={name} access={access} />
          <OwnedItems user={user} />
          <LastChange subject={buildSubject(user.id)} />
          <div className={s.danger}>
            <Deletion user={user} access={access} />
          </div>
        </>
      )}
    </Detail>
  );
}

function Actions({ user, access, onEdit }: { user: User; access: Access | undefined; onEdit(): void }) {
  const [openDialog, setOpenDialog] = useState<'reset' | 'sessions' | 'reactivate'>();
  const [link, setLink] = useState<string>();
  const name = getDisplayName(user);
  const sessionCount = access?.sessions.length ?? 0;
  return (
    <div className={s.actions}>
      <Can call="updateUser">
        <Button leftSection={<Pencil size={14} />} onClick={onEdit}>
          Edit…
        </Button>
      </Can>
      {user.deactivatedAt === null ? (
        <Can call="createResetLink">
          <Button leftSection={<KeyRound size={14} />} onClick={() => setOpenDialog('reset')}>
            {user.hasPassword ? 'Reset password…' : 'New link…'}
          </Button>
        </Can>
      ) : (
        <Can call="reactivateUser">
          <Button leftSection={<UserCheck size={14} />} onClick={() => setOpenDialog('reactivate')}>
            Reactivate…
          </Button>
        </Can>
      )}
      {sessionCount > 0 && (
        <Can call="endSessionsOfUser">
          <Button leftSection={<LogOut size={14} />} onClick={() => setOpenDialog('sessions')}>
            End sessions…
          </Button>
        </Can>
      )}
      <Confirm
        opened={openDialog === 'reset'}
        title={user.hasPassword ? `Reset the password of ${name}?` : `Create a link for ${name}?`}
        action="Create link"
        onConfirm={async () => {
          const { resetPasswordUrl } = await createResetLink(user.id);
          setLink(resetPasswordUrl);
        }}
        onClose={() => setOpenDialog(undefined)}
      >
        <p>
          You get a link that lets {name} set a new password. It can be used once, within a day, and replaces
          any earlier link.{' '}
          {user.hasPassword && 'The current password and open sessions work until the link is used.'}
        </p>
      </Confirm>
      <Confirm
        opened={openDialog === 'reactivate'}
        title={`Reactivate ${name}?`}
        action="Reactivate"
        onConfirm={async () => {
          await reactivateUser(user.id);
          toast({
            message: describeReactivation(name, user),
            ...(needsLink(user) && {
              action: { label: 'New link…', run: () => setOpenDialog('reset') },
            }),
          });
        }}
        onClose={() => setOpenDialog(undefined)}
      >
        <p>
          {needsLink(user)
            ? `${name} becomes active, with the roles and groups shown here. `
            : `${name} can log in again, with the roles and groups shown here. `}
          Sessions and personal tokens that ended with the deactivation are not restored.
        </p>
        {needsLink(user) && (
          <p>
            {name} has no password, and earlier links no longer work. Then create a new one with “New link…”,
            unless {name} uses single sign-on.
          </p>
        )}
      </Confirm>
      <Confirm
        opened={openDialog === 'sessions'}
        title={`Log ${name} out everywhere?`}
        action={`End ${formatCount(sessionCount, 'session')}`}
        danger
        onConfirm={async () => {
          await endSessions(user.id);
          toast({ message: `Ended the sessions of ${name}.` });
        }}
        onClose={() => setOpenDialog(undefined)}
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
          confirmation="I have sent it"
          onStored={() => setLink(undefined)}
        >
          {`Send this link to ${name}. It can be used once, within a day. Halyard does not show it again.`}
        </Secret>
      )}
    </div>
  );
}

function Facts({ user, roles, access }: { user: User; roles: readonly RootRole[]; access: Access }) {
  const [lastSession] = access.sessions;
  const usageTimes = access.tokens.map(({ seenAt }) => seenAt ?? '').toSorted();
  const lastUse = usageTimes.at(-1);
  return (
    <dl className={s.facts}>
      <Fact label="Role">
        <b>{getRoleName(roles, user.rootRole)}</b> on this instance
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
        {describeSignIn(user)}
        {access.sessions.length > 0 && ` · ${formatCount(access.sessions.length, 'session')}`}
      </Fact>
      <Fact label="Last seen">
        {user.seenAt ? <Time at={user.seenAt} /> : 'never'}
        {lastSession?.ip && (
          <>
            {' '}
            from <span className="mono">{lastSession.ip}</span>
          </>
        )}
      </Fact>
      <Fact label="Tokens">
        {access.tokens.length === 0 ? 'none' : formatCount(access.tokens.length, 'personal token')}
        {lastUse && (
          <>
            , used <Time at={lastUse} />
          </>
        )}
      </Fact>
      <Fact label="Created">
        <Time at={user.createdAt} format="date" />
      </Fact>
    </dl>
  );
}

/** Lists what somebody else has to take over before the user leaves. */
function OwnedItems({ user }: { user: User }) {
  const { data } = useQuery(ownedQuery(user.id));
  const [isHandingOver, setHandingOver] = useState(false);
  if (!data) return null;
  if (data.featureCount + data.projectCount === 0)
    return (
      <RailSection title="Owns">
        <p className="muted">No flags or projects.</p>
      </RailSection>
    );
  return (
    <RailSection
      title="Owns"
      aside={[
        data.featureCount > 0 && formatCount(data.featureCount, 'flag'),
        data.projectCount > 0 && formatCount(data.projectCount, 'project'),
      ]
        .filter(text => text !== false)
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
      {data.featureCount > 0 && (
        <Can call="setFeatureOwners">
          <Button size="compact-xs" onClick={() => setHandingOver(true)}>
            Hand over {formatCount(data.featureCount, 'flag')}…
          </Button>
        </Can>
      )}
      {isHandingOver && (
        <HandOverDialog
          user={user}
          flagCount={data.featureCount}
          projects={data.features.map(({ project }) => project)}
          onClose={() => setHandingOver(false)}
        />
      )}
    </RailSection>
  );
}

const hasNoRoleInProjects = ({ projects, groups }: Access): boolean =>
  groups.length === 0 && projects.every(({ grants }) => grants.length === 0);

/** Says what to do after an invitation, so that the new user can do more than their root role allows. */
const NextStep = ({ name }: { name: string }) => (
  <p className={s.words}>
    {name} does not have a project role. Grant one below, or add {name} to{' '}
    <Link to="/admin/groups">a group that has roles</Link>.
  </p>
);

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </>
  );
}

/** The maximum number of names in the deactivation dialog. */
const MAX_SHOWN_NAMES = 5;

function Deletion({ user, access }: { user: User; access: Access }) {
  const me = useMe();
  const { data: ownedItems } = useQuery(ownedQuery(user.id));
  const ownedNames = [...(ownedItems?.projects ?? []), ...(ownedItems?.features ?? [])].map(item =>
    escapeText(item.name),
  );
  const unnamedCount =
    (ownedItems ? ownedItems.projectCount + ownedItems.featureCount : 0) -
    Math.min(MAX_SHOWN_NAMES, ownedNames.length);
  const projectsWithRole = access.projects.filter(({ grants }) =>
    grants.some(({ group }) => group === undefined),
  );
  const name = getDisplayName(user);
  const endedItems = [
    access.sessions.length > 0 && formatCount(access.sessions.length, 'session'),
    access.tokens.length > 0 && formatCount(access.tokens.length, 'personal token'),
  ].filter(text => text !== false);
  const lostItems = [
    ...endedItems,
    projectsWithRole.length > 0 && `roles in ${formatCount(projectsWithRole.length, 'project')}`,
    access.groups.length > 0 && `membership in ${formatCount(access.groups.length, 'group')}`,
  ].filter(text => text !== false);
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
            {endedItems.length > 0
              ? `Ends ${new Intl.ListFormat('en').format(endedItems)} immediately. `
              : ''}
            {user.invitedUntil !== null && 'The invitation link stops working. '}
            {name} cannot log in until somebody reactivates the account. Roles and groups are kept.
          </p>
          {ownedNames.length > 0 && (
            <p>
              {name} owns{' '}
              {new Intl.ListFormat('en').format([
                ...ownedNames.slice(0, MAX_SHOWN_NAMES),
                ...(unnamedCount > 0 ? [`${unnamedCount} more`] : []),
              ])}
              , which may need a different owner. You can change owners first, under “Owns”.
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
        nameToType={user.username ?? user.email ?? name}
        onConfirm={async () => {
          await deleteUser(user.id);
          toast({ message: `Deleted ${name}.` });
        }}
      >
        <p>
          {lostItems.length > 0 ? `Removes ${new Intl.ListFormat('en').format(lostItems)}. ` : ''}Events still
          show the name, and everything that {name} created is kept.
        </p>
      </DangerAction>
    </DangerZone>
  );
}
