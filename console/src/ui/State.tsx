import type { ReactNode } from 'react';
import s from './State.module.css';

export type Tone = 'on' | 'warn' | 'bad' | 'off' | 'info';

/** A label for a state, with a color and optionally an icon, such as `<State tone="warn">Stale</State>`. */
export function State({ tone, icon, children }: { tone: Tone; icon?: ReactNode; children: ReactNode }) {
  return (
    <span className={s.state} data-tone={tone}>
      {icon}
      {children}
    </span>
  );
}

/** A round icon for rows, with the state as its tooltip: `<StateIcon tone="bad" label="Failed" icon={<X />} />`. */
export function StateIcon({ tone, label, icon }: { tone: Tone; label: string; icon: ReactNode }) {
  return (
    <span className={s.icon} data-tone={tone} role="img" aria-label={label} title={label}>
      {icon}
    </span>
  );
}
