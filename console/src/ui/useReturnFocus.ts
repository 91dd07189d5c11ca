import { useEffect } from 'react';

/**
 * Returns the focus to the control that opened a dialog. Mantine does so only for a dialog that is mounted before it opens, not
 * for one that is mounted open.
 */
export function useReturnFocus(opened: boolean): void {
  useEffect(() => {
    if (!opened) return;
    const origin = document.activeElement;
    return () => {
      // The timeout lets the dialog close first. If another control takes the focus in the meantime, it keeps the focus.
      setTimeout(() => {
        if (document.activeElement === document.body && origin instanceof HTMLElement) origin.focus();
      });
    };
  }, [opened]);
}
