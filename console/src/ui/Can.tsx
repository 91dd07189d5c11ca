import { Tooltip } from '@mantine/core';
import { cloneElement, type MouseEvent, type ReactElement } from 'react';
import type { OperationId } from '../api/can.ts';
import { useMissingPermissions } from '../api/me.ts';
import { requirement } from '../api/permission-words.ts';

type Control = ReactElement<{
  onClick?(event: MouseEvent): void;
  'aria-disabled'?: boolean;
  'data-disabled'?: boolean;
  'data-call'?: string;
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
  // The browser test of random roles asks the server about the controls that it finds.
  const mark = { 'data-call': [call, project, environment].join(' ').trimEnd() };
  if (missing.length === 0) return cloneElement(children, mark);
  return (
    <Tooltip label={requirement(missing)} events={{ hover: true, focus: true, touch: true }} openDelay={0}>
      {cloneElement(children, {
        ...mark,
        'aria-disabled': true,
        'data-disabled': true,
        onClick: (event: MouseEvent) => event.preventDefault(),
      })}
    </Tooltip>
  );
}
