import { useEffect } from 'react';

/**
 * Returns the focus to the control that opened a dialog. Mantine does so only for a dialog that was in the page before it opened,
 * but not for a dialog that is rendered open.
 */
export function useReturnFocus(opened: boolean): void {
  useEffect(() => {
    if (!opened) return;
    const origin = document.activeElement;
    return () => {
      // The timeout lets the dialog close first. A control that takes the focus before that keeps the focus.
      setTimeout(() => {
        if (document.activeElement === document.body && origin instanceof HTMLElement) origin.focus();
      });
    };
  }, [opened]);
}
