import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { OperationId } from '../api/can.ts';
import { Can } from './Can.tsx';
import { Problems } from './Problems.tsx';
import s from './SaveBar.module.css';
import { cx } from './words.ts';

export type Creation = {
  /** The button label: "Create group". */
  action: string;
  call: OperationId;
  project?: string;
  pending: boolean;
  /** What the user must fix before creating. The bar shows the first problem next to the disabled button. */
  problems?: readonly string[];
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
  problems = [],
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
      <Problems problems={problems} />
      <Can call={call} {...(project && { project })}>
        <Button type="submit" form={form} variant="filled" loading={pending} disabled={problems.length > 0}>
          {action}
        </Button>
      </Can>
    </footer>
  );
}
