import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { FormErrors } from './Failure.tsx';
import { Form } from './Form.tsx';
import { SidePanel } from './SidePanel.tsx';

/** A panel with a form and its two buttons, "Cancel" and `action`. Spread the result of `useUnsaved` into it. */
export function PanelForm({
  title,
  action,
  pending,
  disabled = false,
  messages,
  isAsking,
  question,
  children,
  onSubmit,
  onClose,
}: {
  title: string;
  /** The verb of the button that submits: "Create user". */
  action: string;
  pending: boolean;
  disabled?: boolean;
  /** Why the server rejected the form, as far as no field shows it. */
  messages: readonly string[];
  /** The question about unsaved changes, and whether it is open. */
  isAsking: boolean;
  question: ReactNode;
  children: ReactNode;
  onSubmit(): void;
  onClose(): void;
}) {
  return (
    <SidePanel title={title} isAsking={isAsking} onClose={onClose}>
      <Form
        onSubmit={onSubmit}
        actions={
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" variant="filled" loading={pending} disabled={disabled}>
              {action}
            </Button>
          </>
        }
      >
        <FormErrors messages={messages} />
        {children}
      </Form>
      {question}
    </SidePanel>
  );
}
