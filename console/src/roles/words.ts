/** The permissions that the message of a 403 names. The rejected request requires one of them. Empty if it names none. */
export function permissionsIn(message: string): string[] {
  const [, list = ''] = /requires the permission ((?:[A-Z][A-Z_]+(?:, | or )?)+)/.exec(message) ?? [];
  return list.match(/[A-Z][A-Z_]+/g) ?? [];
}

/** The project in which a rejected request requires the permission. Undefined if it is required on the instance. */
export const projectIn = (message: string): string | undefined => / project "([^"]+)"/.exec(message)?.[1];

type Typed = { type: 'root' | 'project' | 'root-custom' | 'custom' };

/** Admins create custom roles, and only those can be changed. */
export const isCustom = ({ type }: Typed): boolean => type === 'custom' || type === 'root-custom';

export const isRoot = ({ type }: Typed): boolean => type === 'root' || type === 'root-custom';

/** Where the role is granted. */
export const scopeOf = (role: Typed): string => (isRoot(role) ? 'On the instance' : 'In a project');
