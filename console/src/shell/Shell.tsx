import { Outlet, useRouterState } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { loadChunk } from '../api/chunks.ts';
import { onQuestion, readQuestion } from '../api/reason.ts';
import { onConnection, readConnection } from '../api/session.ts';
import { loadDialogs } from '../ui/Dialog.tsx';
import { useShortcuts } from '../ui/shortcuts.ts';
import { ConnectionBanner, useIsOnline } from './ConnectionBanner.tsx';
import { OfflinePage } from './FailedPage.tsx';
import { MaintenanceBanner } from './MaintenanceBanner.tsx';
import s from './Shell.module.css';
import { Sidebar } from './Sidebar.tsx';
import { Toasts } from './Toasts.tsx';
import { useGoTo } from './useGoTo.ts';
import { useKeptFocus } from './useKeptFocus.ts';
import { useKeptScroll } from './useKeptScroll.ts';

const Palette = lazy(() =>
  loadChunk(() => import('./Palette.tsx')).then(module => ({ default: module.Palette })),
);
const LoginDialog = lazy(() =>
  loadChunk(() => import('./LoginDialog.tsx')).then(module => ({ default: module.LoginDialog })),
);
const ReasonDialog = lazy(() =>
  loadChunk(() => import('./ReasonDialog.tsx')).then(module => ({ default: module.ReasonDialog })),
);
const Help = lazy(() => loadChunk(() => import('./Help.tsx')).then(module => ({ default: module.Help })));

/** The sidebar, the page in its main region, and what may appear over it. */
export function Shell() {
  const [overlay, setOverlay] = useState<'palette' | 'help'>();
  const [isNavOpen, setNavOpen] = useState(false);
  const { sessionEnded } = useSyncExternalStore(onConnection, readConnection);
  const isAskedForReason = useSyncExternalStore(onQuestion, readQuestion) !== undefined;
  const close = () => setOverlay(undefined);
  useGoTo();
  useFocusOfPage();
  useKeptFocus();
  useKeptScroll();
  useEffect(() => void loadDialogs(), []);
  useShortcuts([
    { keys: 'mod+k', description: 'Search or run', run: () => setOverlay('palette') },
    { keys: '?', description: 'Keyboard shortcuts', run: () => setOverlay('help') },
  ]);
  return (
    <div className={s.shell} data-nav={isNavOpen || undefined}>
      <a href="#main" className={s.skip}>
        Skip to content
      </a>
      <Sidebar
        onSearch={() => setOverlay('palette')}
        onHelp={() => setOverlay('help')}
        isOpen={isNavOpen}
        onToggle={() => setNavOpen(!isNavOpen)}
        onNavigate={() => setNavOpen(false)}
      />
      <main id="main" className={s.main} tabIndex={-1}>
        <ConnectionBanner />
        <MaintenanceBanner />
        {useIsStuck() ? <OfflinePage /> : <Outlet />}
      </main>
      {overlay === 'palette' && <ImmediatePalette onClose={close} />}
      <Suspense>{overlay === 'help' && <Help onClose={close} />}</Suspense>
      <Toasts />
      <Suspense>{isAskedForReason && <ReasonDialog />}</Suspense>
      <Suspense>{sessionEnded && <LoginDialog />}</Suspense>
    </div>
  );
}

const focus = (element: HTMLElement | null): void => element?.focus();

/** The palette. A temporary field takes what the user types until the palette's own field has the focus. */
function ImmediatePalette({ onClose }: { onClose(): void }) {
  const [typed, setTyped] = useState('');
  const [isReady, setReady] = useState(false);
  return (
    <>
      {!isReady && (
        <input
          ref={focus}
          className={s.early}
          aria-label="Search or run"
          value={typed}
          onChange={event => setTyped(event.target.value)}
          onKeyDown={event => event.key === 'Escape' && onClose()}
        />
      )}
      <Suspense>
        <Palette typed={typed} onType={setTyped} onReady={() => setReady(true)} onClose={onClose} />
      </Suspense>
    </>
  );
}

/** A new page takes the focus if the control that opened it is gone. */
function useFocusOfPage(): void {
  const path = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname });
  const shown = useRef(path);
  useEffect(() => {
    const former = shown.current;
    shown.current = path;
    // Undefined until the first page has loaded.
    if (former === undefined || former === path) return;
    if (document.activeElement === document.body) document.getElementById('main')?.focus();
  }, [path]);
}

/** Whether the page of the URL began to load offline, and is not loaded yet. */
function useIsStuck(): boolean {
  const isOnline = useIsOnline();
  const isLoading = useRouterState({
    select: ({ isLoading, location, resolvedLocation }) =>
      isLoading && location.pathname !== resolvedLocation?.pathname,
  });
  const [isStuck, setStuck] = useState(false);
  // Not only while offline, because the previous page must not return before the new one.
  if (isLoading && !isOnline && !isStuck) setStuck(true);
  if (!isLoading && isStuck) setStuck(false);
  return isStuck;
}
