import { Button, NativeSelect } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useCallback } from 'react';
import { Can } from '../ui/Can.tsx';
import { escapeText } from '../ui/caller-text.ts';
import { ListPage } from '../ui/ListPage.tsx';
import { Person } from '../ui/Person.tsx';
import { RailSection } from '../ui/RailSection.tsx';
import { Cell } from '../ui/Row.tsx';
import { Detail } from '../ui/Split.tsx';
import { State } from '../ui/State.tsx';
import type { Search } from '../ui/search.ts';
import { Time } from '../ui/Time.tsx';
import { formatDate } from '../ui/time.ts';
import { toast, toastError } from '../ui/toasts.ts';
import { useFilters } from '../ui/useFilters.ts';
import { formatCount } from '../ui/words.ts';
import { getDisplayName } from '../users/words.ts';
import s from './invitations.module.css';
import { LIFETIMES, NewInvitation } from './NewInvitation.tsx';
import { type Invitation, invitationsQuery, updateInvitation } from './queries.ts';

const DAY_MS = 86_400_000;
const getKey = ({ id }: Invitation): string => String(id);
const getSearchText = ({ name, createdBy, users }: Invitation): string =>
  [name, createdBy, ...users.map(getDisplayName)].join('\n');
const COLUMNS = [
  {
    label: 'Invitation',
    compare: (a: Invitation, b: Invitation) => a.name.localeCompare(b.name),
  },
  {
    label: 'Signed up',
    compare: (a: Invitation, b: Invitation) => b.users.length - a.users.length,
  },
  {
    label: 'Expires',
    compare: (a: Invitation, b: Invitation) => a.expiresAt.localeCompare(b.expiresAt),
  },
  { label: 'Status' },
];

const isExpired = ({ expiresAt }: Invitation): boolean => Date.parse(expiresAt) <= Date.now();

function Status({ invitation }: { invitation: Invitation }) {
  if (!invitation.enabled) return <State tone="off">Disabled</State>;
  if (isExpired(invitation)) return <State tone="off">Expired</State>;
  return <State tone="on">Open</State>;
}

const render = (invitation: Invitation) => (
  <>
    <Cell variant="name">
      <Link to="." search={(search: Search) => ({ ...search, invitation: getKey(invitation) })} replace>
        {invitation.name}
      </Link>
      <small>
        {escapeText(invitation.role.name)} · {escapeText(invitation.createdBy)},{' '}
        {formatDate(invitation.createdAt)}
      </small>
    </Cell>
    <Cell variant="dim">{formatCount(invitation.users.length, 'person', 'people')}</Cell>
    <Cell variant="dim">{formatDate(invitation.expiresAt)}</Cell>
    <Cell>
      <Status invitation={invitation} />
    </Cell>
  </>
);

/** Lists the links that let people sign up. */
export function InvitationsPage() {
  const { search, push, replace } = useFilters();
  const { data, error, refetch } = useQuery(invitationsQuery);
  const selectedInvitation = data?.find(invitation => getKey(invitation) === search.invitation);
  const onActive = useCallback(
    (invitation: Invitation) => replace({ invitation: getKey(invitation) }),
    [replace],
  );
  return (
    <ListPage
      title="Invitations"
      noun="invitation"
      rows={data}
      error={error}
      onRetry={() => void refetch()}
      getKey={getKey}
      getSearchText={getSearchText}
      placeholder="Name or person"
      columns={COLUMNS}
      className={s.columns}
      height={52}
      render={render}
      activeKey={typeof search.invitation === 'string' ? search.invitation : undefined}
      onActive={onActive}
      onOpen={onActive}
      create={{ label: 'New invitation', call: 'createSignupToken', run: () => push({ edit: 'new' }) }}
      empty="No invitations yet. An invitation is a link that lets anyone sign up as Viewer. For one person with a different role, create a user."
      detail={
        selectedInvitation && (
          <InvitationDetail
            key={selectedInvitation.id}
            invitation={selectedInvitation}
            onClose={() => replace({ invitation: undefined })}
          />
        )
      }
    >
      {search.edit === 'new' && <NewInvitation onClose={() => replace({ edit: undefined })} />}
    </ListPage>
  );
}

function InvitationDetail({ invitation, onClose }: { invitation: Invitation; onClose(): void }) {
  const { id, name, users } = invitation;
  const save = useMutation({
    mutationFn: (body: Parameters<typeof updateInvitation>[1]) => updateInvitation(id, body),
    onSuccess: () => toast({ about: `invitation ${id}`, message: `Saved ${name}.` }),
    onError: toastError,
  });
  return (
    <Detail heading label={name} bar={`Invitation ${id}`} onClose={onClose}>
      <p className={s.words}>
        Created by {escapeText(invitation.createdBy)} on {formatDate(invitation.createdAt)}. The link ends
        with <span className="mono">{invitation.secret}</span>, and Halyard does not show it again. Create a
        new invitation if you lost it.
      </p>
      <div className={s.actions}>
        <Status invitation={invitation} />
        <Can call="updateSignupToken">
          <Button loading={save.isPending} onClick={() => save.mutate({ enabled: !invitation.enabled })}>
            {invitation.enabled ? 'Disable' : 'Enable'}
          </Button>
        </Can>
      </div>
      <RailSection title="Expires">
        <p className={s.words}>
          <Time at={invitation.expiresAt} format="full" />
        </p>
        <NativeSelect
          aria-label="Expires in"
          value=""
          disabled={save.isPending}
          data={[{ value: '', label: 'Change to…' }, ...LIFETIMES]}
          onChange={event =>
            save.mutate({
              expiresAt: new Date(Date.now() + Number(event.target.value) * DAY_MS).toISOString(),
            })
          }
        />
      </RailSection>
      <RailSection title="Signed up" count={users.length} noun="person" plural="people">
        {users.length === 0 && <p className={s.words}>Nobody has used the link yet.</p>}
        <p className={s.words}>
          {escapeText(invitation.role.name)} is a role on the instance. To let these people change flags in a
          project, add them to <Link to="/admin/groups">a group that has roles</Link>, or open them here and
          grant a role.
        </p>
        <ul className={s.people}>
          {users.map(user => (
            <li key={user.id}>
              <Link to="/admin/users" search={{ user: String(user.id) }}>
                <Person name={getDisplayName(user)} showName />
              </Link>
            </li>
          ))}
        </ul>
      </RailSection>
    </Detail>
  );
}
