/** The labels of permissions that apply to an environment. */
export const ENVIRONMENT_PERMISSION_LABELS: Record<string, string> = {
  UPDATE_FEATURE_ENVIRONMENT: 'Enable and disable flags',
  CREATE_FEATURE_STRATEGY: 'Add strategies',
  UPDATE_FEATURE_STRATEGY: 'Change strategies',
  DELETE_FEATURE_STRATEGY: 'Delete strategies',
  UPDATE_FEATURE_ENVIRONMENT_VARIANTS: 'Change variants',
  APPROVE_CHANGE_REQUEST: 'Approve change requests',
  APPLY_CHANGE_REQUEST: 'Apply change requests',
  SKIP_CHANGE_REQUEST: 'Skip change requests',
};

/** Returns the readable name of a permission: CREATE_FEATURE becomes "Create flag". */
export function permissionName(permission: string): string {
  const name = permission
    .replace(/FEATURE(_TOGGLE)?/, 'FLAG')
    .replace('ADDON', 'INTEGRATION')
    .replaceAll('_', ' ')
    .toLowerCase()
    .replace('api token', 'API token');
  return ENVIRONMENT_PERMISSION_LABELS[permission] ?? name.replace(/^./, first => first.toUpperCase());
}

/** A project and its owners, who can grant permissions in it. */
type OwnedProject = { name: string; owners: readonly { ownerType: string; name?: string }[] };
const MAX_OWNERS = 2;

/**
 * Describes why a control is disabled: 'Requires the permission "Create flag", which an admin can grant'. With a project, names
 * up to two of its owners too.
 */
export function describeMissingPermissions(missing: readonly string[], project?: OwnedProject): string {
  const grantable = missing.filter(name => name !== 'ADMIN');
  if (grantable.length === 0) return 'Requires the Admin role';
  const permission = `Requires the permission ${grantable.map(name => `"${permissionName(name)}"`).join(' or ')}`;
  const owners = (project?.owners ?? [])
    .flatMap(({ ownerType, name }) => (name ? [ownerType === 'group' ? `group ${name}` : name] : []))
    .slice(0, MAX_OWNERS);
  return owners.length === 0
    ? `${permission}, which an admin can grant`
    : `${permission}. Ask ${owners.join(' or ')} (${owners.length === 1 ? 'owner' : 'owners'} of ${project?.name}) or an admin`;
}
