import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import s from './connect.module.css';

/** A line of fixed height that turns green by itself. A polite live region says so once for each state. */
export function LiveLine({
  state,
  note,
  link,
  children,
}: {
  /** "waiting" until what the user waits for has happened. */
  state: string;
  /** The second part, in smaller letters. */
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
