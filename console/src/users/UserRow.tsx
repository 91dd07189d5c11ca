import { Ban, Check, ChevronsUpDown, Mail } from 'lucide-react';
import type { MouseEvent } from 'react';
import { Person } from '../ui/Person.tsx';
import { Cell } from '../ui/Row.tsx';
import { State } from '../ui/State.tsx';
import { Time } from '../ui/Time.tsx';
import { cx } from '../ui/words.ts';
import type { User } from './queries.ts';
import type { RootRole } from './roles.ts';
import s from './users.module.css';
import { describeSignIn, getDisplayName, getLogin, isInactive, isInvited } from './words.ts';

/** A user's cells. They are plain elements, because a list of 10,000 users must scroll smoothly. */
export function UserRow({
  user,
  roles,
  onRole,
}: {
  user: User;
  roles: readonly RootRole[];
  onRole(rootRole: number): void;
}) {
  const [firstGroup, secondGroup, ...otherGroups] = user.groups;
  return (
    <>
      <Cell className={s.user}>
        <Person name={getDisplayName(user)} size={24} />
        <span>
          {/* A plain link, because every Link rerenders when a key press changes the URL. The row handles the click. */}
          <a href={`/admin/users?user=${user.id}`} onClick={handleInRow}>
            {getDisplayName(user)}
          </a>
          <small>{getLogin(user)}</small>
        </span>
      </Cell>
      <Cell>
        <RoleSelect user={user} roles={roles} onChange={onRole} />
      </Cell>
      <Cell className={cx(s.stacked, s.groups)}>
        {firstGroup ?? <span className={s.none}>none</span>}
        {secondGroup && (
          <small>
            {secondGroup}
            {otherGroups.length > 0 && `, ${otherGroups.length} more`}
          </small>
        )}
      </Cell>
      <Cell className={cx(s.stacked, s.seen, isInactive(user) && s.warn)}>
        {user.seenAt ? <Time at={user.seenAt} /> : 'never'}
        <small>{describeSignIn(user)}</small>
      </Cell>
      <Cell className={s.status}>
        {user.deactivatedAt !== null ? (
          <State tone="off" icon={<Ban size={12} aria-hidden="true" />}>
            Deactivated
          </State>
        ) : isInvited(user) ? (
          <State tone="info" icon={<Mail size={12} aria-hidden="true" />}>
            Invited
          </State>
        ) : (
          <span className={s.active}>
            <Check size={12} aria-hidden="true" /> Active
          </span>
        )}
      </Cell>
    </>
  );
}

/** Lets the row handle the click, unless a modifier key lets the browser open the user in a new tab. */
function handleInRow(event: MouseEvent): void {
  if (!(event.metaKey || event.ctrlKey || event.shiftKey)) event.preventDefault();
}

function RoleSelect({
  user,
  roles,
  onChange,
}: {
  user: User;
  roles: readonly RootRole[];
  onChange(rootRole: number): void;
}) {
  return (
    <span className={s.role} data-none={user.rootRole === null || undefined}>
      <select
        aria-label={`Role of ${getDisplayName(user)}`}
        value={user.rootRole ?? ''}
        onChange={event => onChange(Number(event.target.value))}
      >
        {user.rootRole === null && <option value="">No role</option>}
        {roles.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      <ChevronsUpDown size={13} aria-hidden="true" />
    </span>
  );
}
