import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { messagesWithoutField } from '../api/errors.ts';
import s from './Confirm.module.css';
import { escapeControls } from './caller-text.ts';
import { Modal } from './Dialog.tsx';
import { FormErrors } from './Failure.tsx';
import { Problems } from './Problems.tsx';
import { lacksReason, Reason, type ReasonRule } from './Reason.tsx';
import { useReturnFocus } from './useReturnFocus.ts';
import { WaitingChanges } from './WaitingChanges.tsx';

/**
 * Asks for confirmation. `children` show the effect, and `action` labels the button, for example "Archive 3 flags". If `onConfirm`
 * returns a promise, the dialog stays open until the promise succeeds, and shows its error. With `reasonRule`, the dialog has a field
 * for the reason for the change and passes the reason to `onConfirm`.
 */
export function Confirm({
  opened,
  title,
  action,
  danger,
  focusesCancel = danger,
  problems,
  disabled,
  reasonRule,
  children,
  onConfirm,
  onClose,
}: {
  opened: boolean;
  title: string;
  action: string;
  danger?: boolean;
  /** Whether Enter cancels, as it should for a change that affects users. The default is the value of `danger`. */
  focusesCancel?: boolean;
  /** What the user must fix first. The dialog shows the first problem next to the disabled button. */
  problems?: readonly string[];
  disabled?: boolean;
  reasonRule?: ReasonRule;
  children: ReactNode;
  onConfirm(reason: string): unknown;
  onClose(): void;
}) {
  useReturnFocus(opened);
  const [isPending, setPending] = useState(false);
  const [error, setError] = useState<unknown>();
  const [reason, setReason] = useState('');
  const isBlocked = disabled || (problems && problems.length > 0);
  const isIncomplete = isBlocked || lacksReason(reasonRule, reason);
  const confirm = async () => {
    setPending(true);
    setError(undefined);
    try {
      await onConfirm(reason);
      setReason('');
      onClose();
    } catch (failure) {
      setError(failure);
    } finally {
      setPending(false);
    }
  };
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={escapeControls(title)}
      closeButtonProps={{ 'aria-label': 'Close' }}
      centered
    >
      <form
        onSubmit={event => {
          event.preventDefault();
          // Otherwise, React would bubble the event to the form that contains the dialog.
          event.stopPropagation();
          void confirm();
        }}
      >
        <div className={s.body}>{children}</div>
        {reasonRule && (
          <Reason
            reasonRule={reasonRule}
            text={reason}
            onChange={setReason}
            className={s.reason}
            data-autofocus={(reasonRule === 'required' && !isBlocked) || undefined}
          />
        )}
        <WaitingChanges />
        <FormErrors messages={messagesWithoutField(error, [])} />
        <div className={s.buttons}>
          {problems && <Problems problems={problems} />}
          <Button onClick={onClose} data-autofocus={isBlocked || focusesCancel || undefined}>
            Cancel
          </Button>
          <Button
            type="submit"
            variant="filled"
            // The default shade has too little contrast with white.
            color={danger ? 'red.9' : undefined}
            loading={isPending}
            disabled={isIncomplete}
            data-autofocus={!(isIncomplete || focusesCancel) || undefined}
          >
            {escapeControls(action)}
          </Button>
        </div>
      </form>
    </Modal>
  );
}
