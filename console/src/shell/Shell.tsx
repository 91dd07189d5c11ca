import { Outlet } from '@tanstack/react-router';
import { lazy, Suspense, useState, useSyncExternalStore } from 'react';
import { onConnection, readConnection } from '../api/session.ts';
import { useShortcuts } from '../ui/shortcuts.ts';
import { ConnectionBanner } from './ConnectionBanner.tsx';
import s from './Shell.module.css';
import { Sidebar } from './Sidebar.tsx';
import { Toasts } from './Toasts.tsx';
import { useGoTo } from './useGoTo.ts';

const Palette = lazy(() => import('./Palette.tsx').then(module => ({ default: module.Palette })));
const LoginDialog = lazy(() => import('./LoginDialog.tsx').then(module => ({ default: module.LoginDialog })));
const Help = lazy(() => import('./Help.tsx').then(module => ({ default: module.Help })));

/** The sidebar, the page in its main region, and what may appear over it. */
export function Shell() {
  const [overlay, setOverlay] = useState<'palette' | 'help'>();
  const [isNavOpen, setNavOpen] = useState(false);
  const { sessionEnded } = useSyncExternalStore(onConnection, readConnection);
  const close = () => setOverlay(undefined);
  useGoTo();
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
        <Outlet />
      </main>
      <Suspense>
        {overlay === 'palette' && <Palette onClose={close} />}
        {overlay === 'help' && <Help onClose={close} />}
      </Suspense>
      <Toasts />
      <Suspense>{sessionEnded && <LoginDialog />}</Suspense>
    </div>
  );
}
