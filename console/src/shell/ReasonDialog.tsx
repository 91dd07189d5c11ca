import { Button, Modal } from '@mantine/core';
import { useState, useSyncExternalStore } from 'react';
import { onReasonPrompt, type ReasonPrompt, readReasonPrompt } from '../api/reason.ts';
import s from '../ui/Confirm.module.css';
import { Problems } from '../ui/Problems.tsx';
import { Reason } from '../ui/Reason.tsx';

/** Asks for the reason for a change that the server rejected without one, and resends the change. */
export function ReasonDialog() {
  const prompt = useSyncExternalStore(onReasonPrompt, readReasonPrompt);
  return prompt && <ReasonForm prompt={prompt} />;
}

function ReasonForm({ prompt: { message, answer } }: { prompt: ReasonPrompt }) {
  const [text, setText] = useState('');
  const problems = text.trim() === '' ? ['Enter a reason.'] : [];
  const close = () => answer(undefined);
  return (
    <Modal
      opened
      zIndex={1_000} // The dialog must appear above the dialog that sent the change.
      onClose={close}
      title="Why are you making this change?"
      closeButtonProps={{ 'aria-label': 'Close' }}
      centered
    >
      <form
        onSubmit={event => {
          event.preventDefault();
          event.stopPropagation();
          if (problems.length === 0) answer(text);
        }}
      >
        <p className="muted">{getFirstSentence(message)} Everybody who can read the event sees it.</p>
        <Reason reasonRule="required" text={text} onChange={setText} data-autofocus />
        <div className={s.buttons}>
          <Problems problems={problems} />
          <Button onClick={close}>Cancel</Button>
          <Button type="submit" variant="filled" disabled={problems.length > 0}>
            Save with this reason
          </Button>
        </div>
      </form>
    </Modal>
  );
}

/** Returns the first sentence, which names the project. The rest is for API clients. */
const getFirstSentence = (message: string): string => /^.*?"[^"]*".*?\.(?= )/.exec(message)?.[0] ?? message;
