import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { OperationId } from '../api/can.ts';
import { Can } from './Can.tsx';
import s from './SaveBar.module.css';
import { cx } from './words.ts';

export type Creation = {
  /** The button label: "Create group". */
  action: string;
  call: OperationId;
  project?: string;
  pending: boolean;
  disabled?: boolean;
  /** The path of the page that "Cancel" opens. */
  cancel: string;
};

/** The buttons of a page that creates something. They are always visible, in the same place as "Save" on an edit page. */
export function CreateBar({
  form,
  action,
  call,
  project,
  pending,
  disabled = false,
  cancel,
}: Creation & {
  /** The id of the form. */
  form: string;
}) {
  return (
    <footer className={cx(s.bar, s.create)} data-save-bar="">
      <Button component={Link} to={cancel}>
        Cancel
      </Button>
      <Can call={call} {...(project && { project })}>
        <Button type="submit" form={form} variant="filled" loading={pending} disabled={disabled}>
          {action}
        </Button>
      </Can>
    </footer>
  );
}
