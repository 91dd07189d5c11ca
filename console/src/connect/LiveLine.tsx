import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import s from './connect.module.css';

/** Shows a status line that turns green when the awaited event has happened. Screen readers announce each state once. */
export function LiveLine({
  state,
  note,
  link,
  children,
}: {
  /** "waiting" until the event has happened. */
  state: string;
  /** The second part, in smaller text. */
  note?: string | undefined;
  link?: ReactNode;
  children: ReactNode;
}) {
  return (
    <div className={s.live} data-state={state} role="status">
      {state === 'waiting' ? (
        <i className={s.pulse} aria-hidden="true" />
      ) : (
        <i className={s.tick} aria-hidden="true">
          <Check size={12} />
        </i>
      )}
      <span className={s.words}>
        <span>{children}</span>
        {note && <small>{note}</small>}
      </span>
      {link}
    </div>
  );
}
