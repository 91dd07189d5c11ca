import { inSentence, permissionLabel } from '../roles/areas.ts';
import { counted } from '../ui/words.ts';
import type { Change, Explanation, OtherRole } from './queries.ts';

/** "in production of Payments", "in Payments", "on the instance". */
export function placeOf({ project, environment }: Pick<Explanation, 'project' | 'environment'>): string {
  if (!project) return 'on the instance';
  return environment ? `in ${environment} of ${project.name}` : `in ${project.name}`;
}

/** The decision without its first word: "Dora may create flags in Payments." */
export function verdictOf(explanation: Explanation): string {
  const { subject, permission, project, allowed, reason } = explanation;
  const { name } = subject;
  if (reason === 'deactivated') return `${name} is deactivated and cannot do anything.`;
  if (reason === 'cannot-read-project')
    return `${name} cannot read ${project?.name}, because the project is private and ${name} has no role in it.`;
  const may = allowed ? 'may' : 'may not';
  if (permission === null)
    return project
      ? `${name} ${may} read ${project.name}.`
      : `${name} ${may} log in and read every project that is not private.`;
  const action = inSentence(permissionLabel(permission));
  return `${name} ${may} ${allowed ? action : action.replace(' and ', ' or ')} ${placeOf(explanation)}.`;
}

/** Why a role of the subject does not allow it. */
export function whyNot({ why, environments }: OtherRole): string {
  if (why === 'other-environments') return `covers only ${environments.join(', ')}`;
  return why === 'other-projects' ? 'has it only in other projects' : 'does not include it';
}

/** The side effects of a change that grants the permission, in one line. */
export function sideEffects(
  { alsoGrants, otherProjects, replaces, loses }: Change,
  granted: string | null,
): string {
  const isAdmin = granted === 'ADMIN' || alsoGrants.some(({ permission }) => permission === 'ADMIN');
  const parts = [
    isAdmin
      ? 'Grants every permission on the whole instance'
      : alsoGrants.length === 0
        ? 'Grants nothing else'
        : `Also grants ${counted(alsoGrants.length, 'other permission')}`,
    otherProjects > 0 ? `the group also has roles in ${counted(otherProjects, 'other project')}` : '',
    replaces ? `replaces the root role ${replaces.name}` : '',
    loses.length > 0 ? `${counted(loses.length, 'permission')} of it would be lost` : '',
  ];
  return parts.filter(part => part !== '').join('; ');
}
