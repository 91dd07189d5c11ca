import { useQuery } from '@tanstack/react-query';
import { projectsQuery } from '../shell/queries.ts';
import type { ReasonRule } from './Reason.tsx';

/** Returns whether a change to flags of these projects requires a reason. */
export function useReasonRule(...projectIds: readonly string[]): ReasonRule {
  const projects = useQuery(projectsQuery).data ?? [];
  return projects.some(({ id, requireComment }) => requireComment && projectIds.includes(id))
    ? 'required'
    : 'optional';
}
