import type { DrawerProps, ModalProps } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { loadChunk } from '../api/chunks.ts';

/** The shell loads the script after the first page, so that a dialog appears even if the server has become unreachable. */
export const loadDialogs = () => loadChunk(() => import('./dialogs.ts'));
const LazyModal = lazy(() => loadDialogs().then(module => ({ default: module.Modal })));
const LazyDrawer = lazy(() => loadDialogs().then(module => ({ default: module.Drawer })));

/** A centered dialog. */
export function Modal(props: ModalProps) {
  return (
    useWasOpened(props.opened) && (
      <Suspense>
        <LazyModal {...props} />
      </Suspense>
    )
  );
}

/** A dialog on the side of the window. */
export function Drawer(props: DrawerProps) {
  return (
    useWasOpened(props.opened) && (
      <Suspense>
        <LazyDrawer {...props} />
      </Suspense>
    )
  );
}

/** Once opened, a dialog stays mounted, so that its closing transition can play. */
function useWasOpened(opened: boolean): boolean {
  const [wasOpened, setOpened] = useState(opened);
  if (opened && !wasOpened) setOpened(true);
  return wasOpened || opened;
}
