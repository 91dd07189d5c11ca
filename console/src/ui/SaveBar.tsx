import { Button } from '@mantine/core';
import type { Change } from './diff.ts';
import { BriefDiff } from './FieldDiff.tsx';
import s from './SaveBar.module.css';
import { keysText, useShortcuts } from './shortcuts.ts';
import { counted } from './words.ts';

/** The bar under an editor with unsaved changes. It lists them; ⌘S saves. */
export function SaveBar({
  changes,
  action = 'Save',
  pending,
  disabled,
  onSave,
  onDiscard,
}: {
  changes: Change[];
  /** The verb and its object: "Save to production". */
  action?: string;
  pending?: boolean;
  disabled?: boolean;
  onSave(): void;
  onDiscard(): void;
}) {
  const canSave = changes.length > 0 && !disabled && !pending;
  useShortcuts([{ keys: 'mod+s', description: action, run: () => canSave && onSave() }]);
  return (
    <div className={s.bar}>
      <span className={s.pending}>
        <b>{changes.length === 0 ? 'No changes' : counted(changes.length, 'change')}</b>
        <BriefDiff changes={changes} />
      </span>
      <Button variant="subtle" color="gray" onClick={onDiscard}>
        Discard
      </Button>
      <Button variant="filled" loading={pending} disabled={!canSave} onClick={onSave}>
        {action} <kbd className={s.kbd}>{keysText('mod+s')}</kbd>
      </Button>
    </div>
  );
}
