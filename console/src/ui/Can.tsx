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
  // The browser test of random roles checks with the server the controls that it finds.
  const mark = { 'data-call': [call, project, environment].join(' ').trimEnd() };
  if (missing.length === 0) return cloneElement(children, mark);
  return (
    <Forbidden missing={missing} project={project}>
      {cloneElement(children, mark)}
    </Forbidden>
  );
}

/** A disabled control that says which permission is missing and whom to ask for it. */
function Forbidden({
  missing,
  project,
  children,
}: {
  missing: readonly string[];
  project: string | undefined;
  children: Control;
}) {
  const owned = useQuery(projectsQuery).data?.find(({ id }) => id === project);
  return (
    <Tooltip label={requirement(missing, owned)} delay={0} onFocus>
      {cloneElement(children, {
        'aria-disabled': true,
        'data-disabled': true,
        onClick: (event: MouseEvent) => event.preventDefault(),
      })}
    </Tooltip>
  );
}
