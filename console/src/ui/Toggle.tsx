import { describeMissingPermissions } from '../api/permission-words.ts';
import s from './Toggle.module.css';

/**
 * Enables and disables something. This is a styled checkbox, because Mantine's component takes four times as much script time
 * per frame while a list scrolls. With `missingPermissions` (see useMissingPermissions), the toggle is disabled but focusable,
 * and its tooltip names the missing permissions.
 */
export function Toggle({
  checked,
  label,
  large,
  missingPermissions = [],
  call,
  disabled,
  onChange,
}: {
  checked: boolean;
  /** "Enabled in production", with the name of the flag in a list. */
  label: string;
  large?: boolean;
  missingPermissions?: readonly string[];
  /** The operation and its scope, in the format of the `data-call` attribute that Can sets. */
  call?: string;
  disabled?: boolean;
  onChange(checked: boolean): void;
}) {
  const isForbidden = missingPermissions.length > 0;
  return (
    <input
      type="checkbox"
      role="switch"
      aria-checked={checked}
      className={s.toggle}
      data-large={large || undefined}
      data-call={call}
      checked={checked}
      disabled={disabled}
      aria-disabled={isForbidden || undefined}
      aria-label={label}
      title={isForbidden ? describeMissingPermissions(missingPermissions) : undefined}
      onChange={event => !isForbidden && onChange(event.target.checked)}
      onClick={event => event.stopPropagation()}
    />
  );
}
