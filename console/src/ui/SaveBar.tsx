import { Button } from '@mantine/core';
import { type ReactNode, useRef } from 'react';
import { describeMissingPermissions } from '../api/permission-words.ts';
import { BriefDiff } from './BriefDiff.tsx';
import type { Change } from './diff.ts';
import { describeProblems } from './problems.ts';
import { lacksReason, Reason, type ReasonRule } from './Reason.tsx';
import s from './SaveBar.module.css';
import { formatKeys, useShortcuts } from './shortcuts.ts';
import { formatCount } from './words.ts';

/** The bar below an editor, which lists the unsaved changes. ⌘S saves, or calls `onInvalid` if saving is disabled. */
export function SaveBar({
  changes,
  summary,
  action = 'Save',
  missingPermissions = [],
  pending,
  problems = [],
  disabled,
  reason,
  onSave,
  onInvalid,
  onDiscard,
}: {
  changes: Change[];
  /** Shown instead of the changes, for something new. */
  summary?: ReactNode;
  /** The button label: "Save to production". */
  action?: string;
  /** The permissions that the user lacks (see useMissingPermissions), which the bar names. */
  missingPermissions?: readonly string[];
  pending?: boolean;
  /** What the user must fix before saving. The bar shows the first problem, because the invalid field may be scrolled out of view. */
  problems?: readonly string[];
  disabled?: boolean;
  /** The field for the reason for the change, for example with the `reason` that useEditor returns. */
  reason?: { reasonRule: ReasonRule; text: string; onChange(text: string): void };
  onSave(): void;
  onInvalid?(): void;
  onDiscard(): void;
}) {
  const isInvalid = disabled || problems.length > 0;
  const canSave = changes.length > 0 && !isInvalid && !pending;
  const bar = useRef<HTMLDivElement>(null);
  const save = () => {
    if (canSave && reason && lacksReason(reason.reasonRule, reason.text))
      bar.current?.querySelector('input')?.focus();
    else if (canSave) onSave();
    else if (isInvalid) onInvalid?.();
  };
  useShortcuts([{ keys: 'mod+s', description: action, run: save }]);
  return (
    <div ref={bar} className={s.bar} data-save-bar="">
      <span className={s.pending}>
        {summary ?? (
          <>
            <b>{changes.length === 0 ? 'No changes' : formatCount(changes.length, 'change')}</b>
            <BriefDiff changes={changes} />
          </>
        )}
      </span>
      {missingPermissions.length > 0 && (
        <span className={s.missing}>{describeMissingPermissions(missingPermissions)}</span>
      )}
      <span className={s.problem} role="status" data-errors="" tabIndex={-1}>
        {changes.length > 0 && missingPermissions.length === 0 && describeProblems(problems)}
      </span>
      {reason && missingPermissions.length === 0 && (
        <Reason {...reason} className={s.reason} onEnter={save} />
      )}
      <Button variant="subtle" color="gray" onClick={onDiscard}>
        Discard
      </Button>
      <Button variant="filled" loading={pending} disabled={!canSave} onClick={save}>
        {action} <kbd className={s.kbd}>{formatKeys('mod+s')}</kbd>
      </Button>
    </div>
  );
}
