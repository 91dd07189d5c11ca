/** Returns the permissions named in a 403 message. The rejected request requires one of them. */
export function parsePermissions(message: string): string[] {
  const [, list = ''] = /requires the permission ((?:[A-Z][A-Z_]+(?:, | or )?)+)/.exec(message) ?? [];
  return list.match(/[A-Z][A-Z_]+/g) ?? [];
}

/** Returns the project named in a 403 message, or undefined for an instance-wide permission. */
export const parseProject = (message: string): string | undefined => / project "([^"]+)"/.exec(message)?.[1];

type RoleType = { type: 'root' | 'project' | 'root-custom' | 'custom' };

/** Whether admins created the role. Only custom roles can be changed. */
export const isCustom = ({ type }: RoleType): boolean => type === 'custom' || type === 'root-custom';

export const isRoot = ({ type }: RoleType): boolean => type === 'root' || type === 'root-custom';

/** Describes where the role is granted. */
export const describeRoleScope = (role: RoleType): string =>
  isRoot(role) ? 'Instance-wide' : 'In a project';
