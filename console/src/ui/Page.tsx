import { lazy, type ReactNode, Suspense, useEffect } from 'react';
import { loadChunk } from '../api/chunks.ts';
import s from './Page.module.css';

// Not in the first load. A page works without it, for example offline.
const HelpLink = lazy(() =>
  loadChunk(() => import('./HelpLink.tsx')).then(
    (module): { default: () => ReactNode } => ({ default: module.HelpLink }),
    () => ({ default: () => null }),
  ),
);

/**
 * The frame of a page: breadcrumbs, title with a note, actions at the right, and below the title whatever belongs to
 * the head (filter bar, tabs). `children` fill the page under the head and scroll by themselves.
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
