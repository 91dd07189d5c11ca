import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { FormErrors } from './Failure.tsx';
import { Form } from './Form.tsx';
import { Problems } from './Problems.tsx';
import { SidePanel } from './SidePanel.tsx';

/** A panel with a form and its two buttons, "Cancel" and `action`. Spread the result of `useUnsaved` into it. */
export function PanelForm({
  title,
  action,
  pending,
  problems = [],
  messages,
  isConfirming,
  confirmation,
  children,
  onSubmit,
  onClose,
}: {
  title: string;
  /** The label of the submit button: "Create user". */
  action: string;
  pending: boolean;
  /** What the user must fix before submitting. The panel shows the first problem next to the disabled button. */
  problems?: readonly string[];
  /** Why the server rejected the form, unless a field already shows it. */
  messages: readonly string[];
  /** The dialog about unsaved changes, and whether it is open. */
  isConfirming: boolean;
  confirmation: ReactNode;
  children: ReactNode;
  onSubmit(): void;
  onClose(): void;
}) {
  return (
    <SidePanel title={title} isConfirming={isConfirming} onClose={onClose}>
      <Form
        onSubmit={onSubmit}
        actions={
          <>
            <Problems problems={problems} />
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" variant="filled" loading={pending} disabled={problems.length > 0}>
              {action}
            </Button>
          </>
        }
      >
        <FormErrors messages={messages} />
        {children}
      </Form>
      {confirmation}
    </SidePanel>
  );
}
