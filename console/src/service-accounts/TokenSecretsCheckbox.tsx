import '@mantine/core/styles/Checkbox.layer.css';
import { Checkbox } from '@mantine/core';
import type { OperationId } from '../api/can.ts';
import { Can } from '../ui/Can.tsx';

/** A checkbox that lets the account read the secrets of its API tokens, because Terraform compares them in every plan. */
export function TokenSecretsCheckbox({
  call,
  checked,
  wasChecked = false,
  error,
  onChange,
}: {
  call: OperationId;
  checked: boolean;
  /** Whether the server currently stores secrets, which saving would delete. */
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
            ? 'Saving permanently deletes the stored secrets. The API tokens stay valid.'
            : 'Terraform requires this. The server then stores these secrets encrypted and shows them to this account only.'
        }
        checked={checked}
        error={error}
        onChange={event => onChange(event.target.checked)}
      />
    </Can>
  );
}
