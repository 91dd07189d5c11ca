import type { ReactNode } from 'react';
import { Toggle } from '../ui/Toggle.tsx';
import s from './sign-in.module.css';

/** A setting that is enabled or disabled, optionally with a field for its value. */
export function Setting({
  title,
  note,
  checked,
  missingPermissions = [],
  children,
  onChange,
}: {
  title: string;
  note?: string;
  checked: boolean;
  missingPermissions?: readonly string[];
  children?: ReactNode;
  onChange(checked: boolean): void;
}) {
  return (
    <div className={s.setting}>
      <span>
        <b>{title}</b>
        {note && <small>{note}</small>}
      </span>
      {children}
      <Toggle
        checked={checked}
        label={title}
        missingPermissions={missingPermissions}
        onChange={onChange}
        large
      />
    </div>
  );
}
