import { useQuery } from '@tanstack/react-query';
import { projectsQuery } from '../shell/queries.ts';
import type { Reasons } from './Reason.tsx';

/** Whether a change of flags of these projects must have a reason. */
export function useReasons(...projectIds: readonly string[]): Reasons {
  const projects = useQuery(projectsQuery).data ?? [];
  return projects.some(({ id, requireComment }) => requireComment && projectIds.includes(id))
    ? 'required'
    : 'optional';
}
