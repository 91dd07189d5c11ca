import { RailSection } from '../ui/RailSection.tsx';
import { State } from '../ui/State.tsx';
import type { AdminLogins } from './queries.ts';
import s from './sign-in.module.css';

const MAX_SHOWN = 10;

/** Lists how each admin can log in. */
export function Admins({ logins: { admins, total } }: { logins: AdminLogins }) {
  return (
    <RailSection title="Admins" count={total} noun="admin">
      <ul className={s.admins}>
        {admins.slice(0, MAX_SHOWN).map(({ id, name, username, email, password, singleSignOn }) => (
          <li key={id}>
            <span>{name ?? username ?? email}</span>
            {password && <State tone="off">Password</State>}
            {singleSignOn && <State tone="on">Single sign-on</State>}
            {!password && !singleSignOn && <State tone="warn">Cannot log in</State>}
          </li>
        ))}
      </ul>
      {total > MAX_SHOWN && <p className="muted">and {total - MAX_SHOWN} more</p>}
    </RailSection>
  );
}
