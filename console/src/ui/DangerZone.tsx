import { Button, TextInput } from '@mantine/core';
import { type ReactNode, useId, useState } from 'react';
import type { OperationId } from '../api/can.ts';
import { Can } from './Can.tsx';
import { Confirm } from './Confirm.tsx';
import s from './DangerZone.module.css';
import type { Reasons } from './Reason.tsx';

/** The end of a page: what cannot be undone. One `DangerAction` for each. */
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
 * disabled, with the reason next to it. With `typed`, the user types the name first, because the deletion cannot be undone.
 */
export function DangerAction({
  title,
  action,
  call,
  project,
  blocked,
  typed,
  reasons,
  children,
  onConfirm,
}: {
  /** "Delete this segment" */
  title: string;
  /** The verb and its object, on both buttons: "Delete segment". */
  action: string;
  /** The operation in openapi.json. */
  call: OperationId;
  project?: string;
  /** Why it is not possible now, with a link to what blocks it. */
  blocked?: ReactNode;
  /** The name that the user types. */
  typed?: string;
  reasons?: Reasons;
  children: ReactNode;
  /** The dialog stays open until it succeeds, and shows its error. */
  onConfirm(reason: string): Promise<unknown>;
}) {
  const [isOpen, setOpen] = useState(false);
  const [name, setName] = useState('');
  const reason = useId();
  const isBlocked = blocked !== undefined && blocked !== null && blocked !== false;
  const close = () => {
    setOpen(false);
    setName('');
  };
  return (
    <div className={s.action}>
      <div id={reason}>
        <b>{title}</b>
        <div className={s.words}>{isBlocked ? blocked : children}</div>
      </div>
      {isBlocked ? (
        <Button data-disabled aria-disabled aria-describedby={reason}>
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
        disabled={typed !== undefined && name !== typed}
        {...(reasons && { reasons })}
        onConfirm={onConfirm}
        onClose={close}
      >
        <div>{children}</div>
        {typed !== undefined && (
          <TextInput
            mt={12}
            label={
              <>
                Type <span className="mono">{typed}</span> to confirm
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
