import type { ReactNode } from 'react';
import s from './Section.module.css';

/** A part of the rail: its heading, an action at the right, and its content. */
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
