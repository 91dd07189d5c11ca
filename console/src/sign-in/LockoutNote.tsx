import { CircleX, TriangleAlert } from 'lucide-react';
import type { Lockout } from './lockout.ts';
import s from './sign-in.module.css';

/** A warning about admins, or the reason why the settings cannot be saved. */
export function LockoutNote({ lockout }: { lockout: Lockout | undefined }) {
  if (!lockout) return null;
  const Icon = lockout.isBlocked ? CircleX : TriangleAlert;
  return (
    <div className={s.note} data-tone={lockout.isBlocked ? 'bad' : 'warn'} role="status">
      <Icon size={16} aria-hidden="true" />
      <p>
        <b>{lockout.title}</b> {lockout.message}
      </p>
    </div>
  );
}
