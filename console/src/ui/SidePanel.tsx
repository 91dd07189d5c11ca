import { Drawer } from '@mantine/core';
import type { ReactNode } from 'react';

/** An editor at the right side, opened by the address (`?edit=…`). Esc closes it. */
export function SidePanel({
  title,
  opened = true,
  wide,
  children,
  onClose,
}: {
  title: ReactNode;
  opened?: boolean;
  wide?: boolean;
  children: ReactNode;
  onClose(): void;
}) {
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      title={title}
      position="right"
      size={wide ? 900 : 520}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {children}
    </Drawer>
  );
}
