import { Button, TextInput } from '@mantine/core';
import { type ReactNode, useId, useState } from 'react';
import type { OperationId } from '../api/can.ts';
import { Can } from './Can.tsx';
import { Confirm } from './Confirm.tsx';
import { escapeControls } from './caller-text.ts';
import s from './DangerZone.module.css';
import type { ReasonRule } from './Reason.tsx';

/** The last section of a page, with a `DangerAction` for each action that cannot be undone. */
export function DangerZone({ children }: { children: ReactNode }) {
  const id = useId();
  return (
    <section className={s.zone} aria-labelledby={id}>
      <h2 id={id}>Danger zone</h2>
      <div className={s.actions}>{children}</div>
    </section>
  );
}

/**
 * Deletes, archives or deactivates something. `children` say what will be lost, as counts with links. A blocked action is
 * disabled, with the reason next to it. With `nameToType`, the user types the name first, because the deletion cannot be undone.
 */
export function DangerAction({
  title,
  action,
  call,
  project,
  blocked,
  nameToType,
  reasonRule,
  children,
  onConfirm,
}: {
  /** "Delete this segment" */
  title: string;
  /** The label of both buttons: "Delete segment". */
  action: string;
  /** The operation in openapi.json. */
  call: OperationId;
  project?: string;
  /** Why the action is not possible now, with a link to what blocks it. */
  blocked?: ReactNode;
  /** The name that the user types. */
  nameToType?: string;
  reasonRule?: ReasonRule;
  children: ReactNode;
  /** Runs the action. The dialog stays open until the promise succeeds, and shows its error. */
  onConfirm(reason: string): Promise<unknown>;
}) {
  const [isOpen, setOpen] = useState(false);
  const [name, setName] = useState('');
  const descriptionId = useId();
  const isBlocked = blocked !== undefined && blocked !== null && blocked !== false;
  const close = () => {
    setOpen(false);
    setName('');
  };
  return (
    <div className={s.action}>
      <div id={descriptionId}>
        <b>{escapeControls(title)}</b>
        <div className={s.words}>{isBlocked ? blocked : children}</div>
      </div>
      {isBlocked ? (
        <Button data-disabled aria-disabled aria-describedby={descriptionId}>
          {action}…
        </Button>
      ) : (
        <Can call={call} {...(project !== undefined && { project })}>
          <Button className={s.danger} onClick={() => setOpen(true)}>
            {action}…
          </Button>
        </Can>
      )}
      <Confirm
        opened={isOpen}
        title={`${title}?`}
        action={action}
        danger
        disabled={nameToType !== undefined && name !== nameToType}
        {...(reasonRule && { reasonRule })}
        onConfirm={onConfirm}
        onClose={close}
      >
        <div>{children}</div>
        {nameToType !== undefined && (
          <TextInput
            mt={12}
            label={
              <>
                Type <span className="mono">{nameToType}</span> to confirm
              </>
            }
            autoComplete="off"
            spellCheck={false}
            data-autofocus
            value={name}
            onChange={event => setName(event.target.value)}
          />
        )}
      </Confirm>
    </div>
  );
}
