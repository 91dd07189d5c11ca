import { type ReactNode, useId } from 'react';
import s from './RailSection.module.css';
import { formatCount } from './words.ts';

/** A section in the column to the right of a form, with a heading, an optional count or link, and the content. */
export function RailSection({
  anchor,
  title,
  count,
  noun,
  plural,
  aside,
  children,
}: {
  /** The id of the section, for links to it. */
  anchor?: string | undefined;
  title: string;
  count?: number | undefined;
  noun?: string;
  plural?: string | undefined;
  /** Shown instead of the count. */
  aside?: ReactNode;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <section id={anchor} className={s.section} aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        <span className={s.aside}>
          {aside ?? (count !== undefined && count > 0 && noun && formatCount(count, noun, plural))}
        </span>
      </header>
      {children}
    </section>
  );
}
