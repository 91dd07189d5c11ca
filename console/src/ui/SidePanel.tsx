import type { ReactNode } from 'react';
import { Drawer } from './Dialog.tsx';
import { useReturnFocus } from './useReturnFocus.ts';
import { WaitingChanges } from './WaitingChanges.tsx';

/** An editor on the right side, opened by the URL (`?edit=…`). Esc closes it. */
export function SidePanel({
  title,
  opened = true,
  wide,
  isConfirming = false,
  children,
  onClose,
}: {
  title: ReactNode;
  opened?: boolean;
  wide?: boolean;
  /** Whether a dialog is open over the panel, in which case Esc closes only the dialog. */
  isConfirming?: boolean;
  children: ReactNode;
  onClose(): void;
}) {
  useReturnFocus(opened);
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      title={title}
      position="right"
      closeOnEscape={!isConfirming}
      size={wide ? 900 : 520}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <WaitingChanges />
      {children}
    </Drawer>
  );
}
