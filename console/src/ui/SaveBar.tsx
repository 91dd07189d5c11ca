import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { requirement } from '../api/permission-words.ts';
import type { Change } from './diff.ts';
import { BriefDiff } from './FieldDiff.tsx';
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
  onSave(): void;
  onInvalid?(): void;
  onDiscard(): void;
}) {
  const canSave = changes.length > 0 && !disabled && !pending;
  const save = () => {
    if (canSave) onSave();
    else if (disabled) onInvalid?.();
  };
  useShortcuts([{ keys: 'mod+s', description: action, run: save }]);
  return (
    <div className={s.bar} data-save-bar="">
      <span className={s.pending}>
        {summary ?? (
          <>
            <b>{changes.length === 0 ? 'No changes' : counted(changes.length, 'change')}</b>
            <BriefDiff changes={changes} />
          </>
        )}
      </span>
      {missing.length > 0 && <span className={s.reason}>{requirement(missing)}</span>}
      <Button variant="subtle" color="gray" onClick={onDiscard}>
        Discard
      </Button>
      <Button variant="filled" loading={pending} disabled={!canSave} onClick={onSave}>
        {action} <kbd className={s.kbd}>{keysText('mod+s')}</kbd>
      </Button>
    </div>
  );
}
