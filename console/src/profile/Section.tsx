import type { ReactNode } from 'react';
import s from './profile.module.css';

/** A section of the profile. `action` is on the right of the heading. */
export function Section({
  title,
  action,
  children,
}: {
  title: string;
  action?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className={s.section} aria-label={title}>
      <header>
        <h2>{title}</h2>
        {action}
      </header>
      {children}
    </section>
  );
}

/** A line of a section, with text on the left and a control on the right. */
export function Row({ title, note, children }: { title: ReactNode; note?: ReactNode; children?: ReactNode }) {
  return (
    <div className={s.row}>
      <span>
        {title}
        {note && <small>{note}</small>}
      </span>
      {children}
    </div>
  );
}
