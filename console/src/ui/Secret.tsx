import { Button, Modal } from '@mantine/core';
import { CopyButton } from './Copy.tsx';
import s from './Secret.module.css';

/** A secret that the server shows once. The dialog closes only with "I have stored it". */
export function Secret({
  title,
  secret,
  children,
  onStored,
}: {
  title: string;
  secret: string;
  children?: string;
  onStored(): void;
}) {
  return (
    <Modal
      opened
      onClose={() => {}}
      title={title}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      centered
    >
      <p className={s.words}>{children ?? 'Copy the secret now. Halyard does not show it again.'}</p>
      <div className={s.secret}>
        <code>{secret}</code>
        <CopyButton text={secret} label="Copy secret" />
      </div>
      <div className={s.buttons}>
        <Button variant="filled" onClick={onStored} data-autofocus>
          I have stored it
        </Button>
      </div>
    </Modal>
  );
}
