import { requirement } from '../api/permission-words.ts';
import s from './Toggle.module.css';

/**
 * Enables and disables something. A styled checkbox: Mantine's component takes four times the scripting per scroll frame.
 * `missing` names the permissions that the user lacks (useMissingPermissions): the toggle stays focusable and says why.
 */
export function Toggle({
  checked,
  label,
  large,
  missing = [],
  call,
  disabled,
  onChange,
}: {
  checked: boolean;
  /** "Enabled in production", with the name of the flag in a list. */
  label: string;
  large?: boolean;
  missing?: readonly string[];
  /** The operation and its scope, as Can marks its control. */
  call?: string;
  disabled?: boolean;
  onChange(checked: boolean): void;
}) {
  const isMissing = missing.length > 0;
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
      title={isMissing ? requirement(missing) : undefined}
      onChange={event => !isMissing && onChange(event.target.checked)}
      onClick={event => event.stopPropagation()}
    />
  );
}
