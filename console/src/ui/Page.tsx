import { type ReactNode, useEffect } from 'react';
import s from './Page.module.css';

/**
 * The frame of a page: breadcrumbs, title with a note, actions at the right, and below the title whatever belongs to
 * the head (filter bar, tabs). `children` fill the page under the head and scroll by themselves.
 */
export function Page({
  title,
  name,
  crumbs,
  note,
  about,
  actions,
  head,
  children,
}: {
  /** The heading. */
  title: ReactNode;
  /** The title of the browser tab, if `title` is no text. */
  name?: string;
  crumbs?: ReactNode;
  note?: ReactNode;
  /** The link to the documentation: `{ href: '/docs/#tag/playground', label: 'About the playground' }`. */
  about?: { href: string; label: string };
  actions?: ReactNode;
  head?: ReactNode;
  children?: ReactNode;
}) {
  const tab = name ?? (typeof title === 'string' ? title : undefined);
  useEffect(() => {
    document.title = tab ? `${tab} · Halyard` : 'Halyard';
  }, [tab]);
  return (
    <>
      <header className={s.head}>
        {crumbs && <div className={s.crumbs}>{crumbs}</div>}
        <div className={s.titleRow}>
          <h1>{title}</h1>
          {note && <span className={s.note}>{note}</span>}
          <div className={s.actions}>
            {about && (
              <a href={about.href} className={s.about}>
                {about.label}
              </a>
            )}
            {actions}
          </div>
        </div>
        {head}
      </header>
      {children}
    </>
  );
}
