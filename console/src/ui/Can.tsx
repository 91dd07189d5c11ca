import { useQuery } from '@tanstack/react-query';
import { cloneElement, type MouseEvent, type ReactElement } from 'react';
import type { OperationId } from '../api/can.ts';
import { useMissingPermissions } from '../api/me.ts';
import { requirement } from '../api/permission-words.ts';
import { projectsQuery } from '../shell/queries.ts';
import { Tooltip } from './Tooltip.tsx';

type Control = ReactElement<{
  onClick?(event: MouseEvent): void;
  'aria-disabled'?: boolean;
  'data-disabled'?: boolean;
  'data-call'?: string;
}>;

/**
 * A control that the user may use. Without the permission, it is disabled but focusable, and names the missing permission:
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
  const missingPermissions = useMissingPermissions(call, { project, environment });
  // The browser test with random roles compares the controls that it finds with the server's decisions.
  const mark = { 'data-call': [call, project, environment].join(' ').trimEnd() };
  if (missingPermissions.length === 0) return cloneElement(children, mark);
  return (
    <Forbidden missingPermissions={missingPermissions} project={project}>
      {cloneElement(children, mark)}
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
  const owned = useQuery(projectsQuery).data?.find(({ id }) => id === project);
  return (
    <Tooltip label={requirement(missingPermissions, owned)} delay={0} onFocus>
      {cloneElement(children, {
        'aria-disabled': true,
        'data-disabled': true,
        onClick: (event: MouseEvent) => event.preventDefault(),
      })}
    </Tooltip>
  );
}
