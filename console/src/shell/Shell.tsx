import { Outlet, useRouterState } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { loadChunk } from '../api/chunks.ts';
import { onReasonPrompt, readReasonPrompt } from '../api/reason.ts';
import { onConnectionChange, readConnection } from '../api/session.ts';
import { loadDialogs } from '../ui/Dialog.tsx';
import { useShortcuts } from '../ui/shortcuts.ts';
import { ConnectionBanner, useIsOnline } from './ConnectionBanner.tsx';
import { OfflinePage } from './FailedPage.tsx';
import { MaintenanceBanner } from './MaintenanceBanner.tsx';
import s from './Shell.module.css';
import { Sidebar } from './Sidebar.tsx';
import { Toasts } from './Toasts.tsx';
import { useFocusRecovery } from './useFocusRecovery.ts';
import { useGoTo } from './useGoTo.ts';
import { useScrollRestoration } from './useScrollRestoration.ts';

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

/** The sidebar, the current page, and what may appear above it. */
export function Shell() {
  const [overlay, setOverlay] = useState<'palette' | 'help'>();
  const [isNavOpen, setNavOpen] = useState(false);
  const { sessionEnded } = useSyncExternalStore(onConnectionChange, readConnection);
  const needsReason = useSyncExternalStore(onReasonPrompt, readReasonPrompt) !== undefined;
  const close = () => setOverlay(undefined);
  useGoTo();
  usePageFocus();
  useFocusRecovery();
  useScrollRestoration();
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
      <Suspense>{needsReason && <ReasonDialog />}</Suspense>
      <Suspense>{sessionEnded && <LoginDialog />}</Suspense>
    </div>
  );
}

const focusElement = (element: HTMLElement | null): void => element?.focus();

/** The palette. A temporary field takes what the user types until the palette's own field has the focus. */
function ImmediatePalette({ onClose }: { onClose(): void }) {
  const [typedText, setTypedText] = useState('');
  const [isReady, setReady] = useState(false);
  return (
    <>
      {!isReady && (
        <input
          ref={focusElement}
          className={s.temporaryField}
          aria-label="Search or run"
          value={typedText}
          onChange={event => setTypedText(event.target.value)}
          onKeyDown={event => event.key === 'Escape' && onClose()}
        />
      )}
      <Suspense>
        <Palette
          typedText={typedText}
          onType={setTypedText}
          onReady={() => setReady(true)}
          onClose={onClose}
        />
      </Suspense>
    </>
  );
}

/** Moves the focus to a new page if the control that opened the page has disappeared. */
function usePageFocus(): void {
  const path = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname });
  const shownPath = useRef(path);
  useEffect(() => {
    const previousPath = shownPath.current;
    shownPath.current = path;
    // The path is undefined until the first page has loaded, and that page must not take the focus.
    if (previousPath === undefined || previousPath === path) return;
    if (document.activeElement === document.body) document.getElementById('main')?.focus();
  }, [path]);
}

/** Returns whether the page started to load while offline and has not loaded yet. */
function useIsStuck(): boolean {
  const isOnline = useIsOnline();
  const isLoading = useRouterState({
    select: ({ isLoading, location, resolvedLocation }) =>
      isLoading && location.pathname !== resolvedLocation?.pathname,
  });
  const [isStuck, setStuck] = useState(false);
  // Stays true until the page has loaded, so that the previous page does not reappear in between.
  if (isLoading && !isOnline && !isStuck) setStuck(true);
  if (!isLoading && isStuck) setStuck(false);
  return isStuck;
}
