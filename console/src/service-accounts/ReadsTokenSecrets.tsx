import '@mantine/core/styles/Checkbox.layer.css';
import { Checkbox } from '@mantine/core';
import type { OperationId } from '../api/can.ts';
import { Can } from '../ui/Can.tsx';

/** Whether the account reads the secrets of the API tokens it creates. Terraform compares them at every plan. */
export function ReadsTokenSecrets({
  call,
  checked,
  wasChecked = false,
  error,
  onChange,
}: {
  call: OperationId;
  checked: boolean;
  /** Whether the server stores secrets now, which saving would delete. */
  wasChecked?: boolean;
  error: string | undefined;
  onChange(checked: boolean): void;
}) {
  return (
    <Can call={call}>
      <Checkbox
        label="Can read the secrets of the API tokens it creates"
        description={
          wasChecked && !checked
            ? 'Saving deletes the stored secrets for good. The API tokens stay valid.'
            : 'Terraform requires this. The server then stores these secrets encrypted and shows them to this account only.'
        }
        checked={checked}
        error={error}
        onChange={event => onChange(event.target.checked)}
      />
    </Can>
  );
}
