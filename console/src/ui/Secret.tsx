import { Button } from '@mantine/core';
import { Check, Copy } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { copyText } from './Copy.tsx';
import { escapeControls } from './caller-text.ts';
import { Modal } from './Dialog.tsx';
import s from './Secret.module.css';

/** A secret that the server shows only once. The dialog closes only when the user confirms that they have stored it. */
export function Secret({
  title,
  secret,
  label,
  children,
  use,
  confirmation = 'I have stored it',
  onStored,
}: {
  title: string;
  secret: string;
  /** The label of the copy button. */
  label?: string;
  children?: string;
  /** What to do next with the secret. */
  use?: ReactNode;
  /** The label of the button that closes the dialog. */
  confirmation?: string;
  onStored(): void;
}) {
  return (
    <Modal
      opened
      onClose={() => {}}
      title={escapeControls(title)}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      centered
      {...(use !== undefined && { size: 640 })}
    >
      <p className={s.words}>{children ?? 'Copy the secret now. Halyard does not show it again.'}</p>
      <SecretField secret={secret} {...(label !== undefined && { label })} />
      {use}
      <div className={s.buttons}>
        <Button variant="filled" onClick={onStored} data-autofocus>
          {confirmation}
        </Button>
      </div>
    </Modal>
  );
}

/** The secret in a read-only field, with a copy button. */
export function SecretField({ secret, label = 'Copy secret' }: { secret: string; label?: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await copyText(secret);
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  return (
    <div className={s.secret}>
      <code>{secret}</code>
      <Button
        variant="filled"
        leftSection={isCopied ? <Check size={14} /> : <Copy size={14} />}
        aria-label={label}
        onClick={() => void copy()}
      >
        Copy
      </Button>
    </div>
  );
}
