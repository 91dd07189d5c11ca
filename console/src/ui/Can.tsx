import { useQuery } from '@tanstack/react-query';
import { cloneElement, type MouseEvent, type ReactElement } from 'react';
import type { OperationId } from '../api/can.ts';
import { useMissingPermissions } from '../api/me.ts';
import { describeMissingPermissions } from '../api/permission-words.ts';
import { projectsQuery } from '../shell/queries.ts';
import { Tooltip } from './Tooltip.tsx';

type Control = ReactElement<{
  onClick?(event: MouseEvent): void;
  'aria-disabled'?: boolean;
  'data-disabled'?: boolean;
  'data-call'?: string;
}>;

/**
 * A control that requires a permission. Without it, the control is disabled but focusable, and its tooltip names the missing
 * permission: `<Can call="archiveFeature" project={id}><Button onClick={…}>Archive…</Button></Can>`. `call` is the operation in
 * openapi.json that the control calls.
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
  const missingPermissions = useMissingPermissions(call, { project, environment });
  // A browser test with random roles checks the controls that it finds against the server's decisions.
  const marker = { 'data-call': [call, project, environment].join(' ').trimEnd() };
  if (missingPermissions.length === 0) return cloneElement(children, marker);
  return (
    <Forbidden missingPermissions={missingPermissions} project={project}>
      {cloneElement(children, marker)}
    </Forbidden>
  );
}

/** A disabled control that says which permission is missing and whom to ask for it. */
function Forbidden({
  missingPermissions,
  project,
  children,
}: {
  missingPermissions: readonly string[];
  project: string | undefined;
  children: Control;
}) {
  const ownedProject = useQuery(projectsQuery).data?.find(({ id }) => id === project);
  return (
    <Tooltip label={describeMissingPermissions(missingPermissions, ownedProject)} delay={0} onFocus>
      {cloneElement(children, {
        'aria-disabled': true,
        'data-disabled': true,
        onClick: (event: MouseEvent) => event.preventDefault(),
      })}
    </Tooltip>
  );
}
