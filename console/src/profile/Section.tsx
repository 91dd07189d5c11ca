import type { ReactNode } from 'react';
import s from './profile.module.css';

/** A part of the profile. `action` is at the right of the heading. */
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

/** A line of a section: words at the left, a control at the right. */
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
