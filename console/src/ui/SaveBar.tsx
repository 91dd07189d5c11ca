import { Button } from '@mantine/core';
import { type ReactNode, useRef } from 'react';
import { requirement } from '../api/permission-words.ts';
import type { Change } from './diff.ts';
import { BriefDiff } from './FieldDiff.tsx';
import { lacksReason, Reason, type Reasons } from './Reason.tsx';
import s from './SaveBar.module.css';
import { keysText, useShortcuts } from './shortcuts.ts';
import { counted } from './words.ts';

/** The bar under an editor with unsaved changes. It lists them; ⌘S saves, or calls `onInvalid` if that is disabled. */
export function SaveBar({
  changes,
  summary,
  action = 'Save',
  missing = [],
  pending,
  disabled,
  reason,
  onSave,
  onInvalid,
  onDiscard,
}: {
  changes: Change[];
  /** Shown instead of the changes, for something new. */
  summary?: ReactNode;
  /** The verb and its object: "Save to production". */
  action?: string;
  /** The permissions that the user lacks (useMissingPermissions). The bar names them. */
  missing?: readonly string[];
  pending?: boolean;
  disabled?: boolean;
  /** A field for the reason for the change. `editor.reason` of useEditor has its value. */
  reason?: { reasons: Reasons; text: string; onChange(text: string): void };
  onSave(): void;
  onInvalid?(): void;
  onDiscard(): void;
}) {
  const canSave = changes.length > 0 && !disabled && !pending;
  const bar = useRef<HTMLDivElement>(null);
  const save = () => {
    if (canSave && reason && lacksReason(reason.reasons, reason.text))
      bar.current?.querySelector('input')?.focus();
    else if (canSave) onSave();
    else if (disabled) onInvalid?.();
  };
  useShortcuts([{ keys: 'mod+s', description: action, run: save }]);
  return (
    <div ref={bar} className={s.bar} data-save-bar="">
      <span className={s.pending}>
        {summary ?? (
          <>
            <b>{changes.length === 0 ? 'No changes' : counted(changes.length, 'change')}</b>
            <BriefDiff changes={changes} />
          </>
        )}
      </span>
      {missing.length > 0 && <span className={s.reason}>{requirement(missing)}</span>}
      {reason && missing.length === 0 && <Reason {...reason} className={s.why} onEnter={save} />}
      <Button variant="subtle" color="gray" onClick={onDiscard}>
        Discard
      </Button>
      <Button variant="filled" loading={pending} disabled={!canSave} onClick={save}>
        {action} <kbd className={s.kbd}>{keysText('mod+s')}</kbd>
      </Button>
    </div>
  );
}
