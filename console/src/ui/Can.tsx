import { Tooltip } from '@mantine/core';
import { cloneElement, type MouseEvent, type ReactElement } from 'react';
import type { OperationId } from '../api/can.ts';
import { useMissingPermissions } from '../api/me.ts';

type Control = ReactElement<{
  onClick?(event: MouseEvent): void;
  'aria-disabled'?: boolean;
  'data-disabled'?: boolean;
}>;

/**
 * A control that the user may use. Without the permission it is disabled, stays focusable and names the permission:
 * `<Can call="archiveFeature" project={id}><Button onClick={…}>Archive…</Button></Can>`.
 * `call` is the operation in openapi.json that the control calls.
 */
export function Can({
  call,
  project,
  environment,
  children,
}: {
  call: OperationId;
  project?: string;
  environment?: string;
  children: Control;
}) {
  const missing = useMissingPermissions(call, { project, environment });
  if (missing.length === 0) return children;
  return (
    <Tooltip
      label={`Requires ${missing.join(' or ')}`}
      events={{ hover: true, focus: true, touch: true }}
      openDelay={0}
    >
      {cloneElement(children, {
        'aria-disabled': true,
        'data-disabled': true,
        onClick: (event: MouseEvent) => event.preventDefault(),
      })}
    </Tooltip>
  );
}
