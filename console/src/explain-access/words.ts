import { getPermissionLabel, lowercaseFirst } from '../roles/areas.ts';
import { formatCount } from '../ui/words.ts';
import type { Change, Explanation, OtherRole } from './queries.ts';

/** Describes the scope, such as "in production of Payments", "in Payments" or "on the instance". */
export function describeScope({
  project,
  environment,
}: Pick<Explanation, 'project' | 'environment'>): string {
  if (!project) return 'on the instance';
  return environment ? `in ${environment} of ${project.name}` : `in ${project.name}`;
}

/** Describes the decision without "Yes" or "No", such as "Dora may create flags in Payments." */
export function describeDecision(explanation: Explanation): string {
  const { subject, permission, project, allowed, reason, otherRoles } = explanation;
  const { name } = subject;
  if (reason === 'deactivated') return `${name} is deactivated and cannot do anything.`;
  if (reason === 'cannot-read-project')
    return `${name} cannot read ${project?.name}, because the project is private and ${name} has no role in it.`;
  const may = allowed ? 'may' : 'may not';
  if (permission === null)
    return project
      ? `${name} ${may} read ${project.name}.`
      : `${name} ${may} log in and read every project that is not private.`;
  const action = lowercaseFirst(getPermissionLabel(permission));
  // "May not" would be wrong for a subject who has the permission in some environments of the project.
  const isLimited =
    explanation.environment === null && otherRoles.some(({ why }) => why === 'other-environments');
  if (project && !allowed && isLimited)
    return `${name} may ${action} only in some environments of ${project.name}.`;
  return `${name} ${may} ${allowed ? action : action.replace(' and ', ' or ')} ${describeScope(explanation)}.`;
}

/** Says why one of the subject's roles does not grant the permission. */
export function describeMismatch({ why, environments }: OtherRole): string {
  if (why === 'other-environments') return `covers only ${environments.join(', ')}`;
  return why === 'other-projects' ? 'has it only in other projects' : 'does not include it';
}

/** Describes the side effects of a change that grants the permission, in one line. */
export function describeSideEffects(
  { alsoGrants, otherProjects, replaces, loses }: Change,
  grantedPermission: string | null,
): string {
  const isAdmin =
    grantedPermission === 'ADMIN' || alsoGrants.some(({ permission }) => permission === 'ADMIN');
  const parts = [
    isAdmin
      ? 'Grants every permission on the whole instance'
      : alsoGrants.length === 0
        ? 'Grants nothing else'
        : `Also grants ${formatCount(alsoGrants.length, 'other permission')}`,
    otherProjects > 0 ? `the group also has roles in ${formatCount(otherProjects, 'other project')}` : '',
    replaces ? `replaces the ${replaces.name} role` : '',
    loses.length > 0 ? `loses ${formatCount(loses.length, 'permission')}` : '',
  ];
  return parts.filter(part => part !== '').join('; ');
}
