import { requirement } from '../api/permission-words.ts';
import s from './Toggle.module.css';

/**
 * Enables and disables something. This is a styled checkbox, because Mantine's component takes four times the scripting per scroll
 * frame. With `missingPermissions` (see useMissingPermissions), the toggle is disabled but focusable, and names these permissions.
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
  /** The operation and its scope, as Can marks its control. */
  call?: string;
  disabled?: boolean;
  onChange(checked: boolean): void;
}) {
  const isMissing = missingPermissions.length > 0;
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
      aria-disabled={isMissing || undefined}
      aria-label={label}
      title={isMissing ? requirement(missingPermissions) : undefined}
      onChange={event => !isMissing && onChange(event.target.checked)}
      onClick={event => event.stopPropagation()}
    />
  );
}
