import { useEffect } from 'react';

/**
 * Returns the focus to the control that opened a dialog. Mantine does so only for a dialog that was in the page before it
 * opened, not for one that appears opened.
 */
export function useReturnFocus(opened: boolean): void {
  useEffect(() => {
    if (!opened) return;
    const origin = document.activeElement;
    return () => {
      // After the dialog is gone. A control that took the focus meanwhile keeps it.
      setTimeout(() => {
        if (document.activeElement === document.body && origin instanceof HTMLElement) origin.focus();
      });
    };
  }, [opened]);
}
