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
import { isInactive, isInvited, loginOf, nameOf, signInOf } from './words.ts';

/** The cells of a user. Plain elements, because a list of 10,000 users must scroll smoothly. */
export function UserRow({
  user,
  roles,
  onRole,
}: {
  user: User;
  roles: readonly RootRole[];
  onRole(rootRole: number): void;
}) {
  const [first, second, ...more] = user.groups;
  return (
    <>
      <Cell className={s.user}>
        <Person name={nameOf(user)} size={24} />
        <span>
          {/* No Link: each of them follows the address, which changes with every key press. The row handles the click. */}
          <a href={`/admin/users?user=${user.id}`} onClick={leaveToRow}>
            {nameOf(user)}
          </a>
          <small>{loginOf(user)}</small>
        </span>
      </Cell>
      <Cell>
        <RoleSelect user={user} roles={roles} onChange={onRole} />
      </Cell>
      <Cell className={cx(s.two, s.groups)}>
        {first ?? <span className={s.none}>none</span>}
        {second && (
          <small>
            {second}
            {more.length > 0 && `, ${more.length} more`}
          </small>
        )}
      </Cell>
      <Cell className={cx(s.two, s.seen, isInactive(user) && s.warn)}>
        {user.seenAt ? <Time at={user.seenAt} /> : 'never'}
        <small>{signInOf(user)}</small>
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

/** With a modifier key, the browser opens the user in a new tab. */
function leaveToRow(event: MouseEvent): void {
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
        aria-label={`Role of ${nameOf(user)}`}
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
