import { lazy, type ReactNode, Suspense, useEffect } from 'react';
import { loadChunk } from '../api/chunks.ts';
import s from './Page.module.css';

// The help link is not part of the first load, because a page works without it, for example offline.
const HelpLink = lazy(() =>
  loadChunk(() => import('./HelpLink.tsx')).then(
    (module): { default: () => ReactNode } => ({ default: module.HelpLink }),
    () => ({ default: () => null }),
  ),
);

/**
 * The frame of a page, with breadcrumbs, a title with a note, and actions on the right. Below the title is the rest of the head,
 * such as a filter bar or tabs. `children` fill the rest of the page and scroll independently.
 */
export function Page({
  title,
  name,
  crumbs,
  note,
  actions,
  head,
  children,
}: {
  /** The heading. */
  title: ReactNode;
  /** The title of the browser tab, if `title` is not a string. */
  name?: string;
  crumbs?: ReactNode;
  note?: ReactNode;
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
          <span className={s.help}>
            <Suspense>
              <HelpLink />
            </Suspense>
          </span>
          <div className={s.actions}>{actions}</div>
        </div>
        {head}
      </header>
      {children}
    </>
  );
}
