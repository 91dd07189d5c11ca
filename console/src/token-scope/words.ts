import type { Schemas } from '../api/client.ts';

export type Scope = NonNullable<Schemas['PersonalToken']['scope']>;

/** What a user can allow a token to change, and the permissions that this requires. */
export const CHANGE_KINDS = [
  { value: 'toggle', label: 'Enable and disable flags', permissions: ['UPDATE_FEATURE_ENVIRONMENT'] },
  {
    value: 'target',
    label: 'Change strategies and variants',
    permissions: [
      'CREATE_FEATURE_STRATEGY',
      'UPDATE_FEATURE_STRATEGY',
      'DELETE_FEATURE_STRATEGY',
      'UPDATE_FEATURE_ENVIRONMENT_VARIANTS',
    ],
  },
  { value: 'edit', label: 'Create and edit flags', permissions: ['CREATE_FEATURE', 'UPDATE_FEATURE'] },
  { value: 'archive', label: 'Archive and delete flags', permissions: ['DELETE_FEATURE'] },
] as const;

export type Access = 'all' | 'some' | 'read' | 'agent' | 'agent-read';

export const isForAgent = (access: Access): boolean => access === 'agent' || access === 'agent-read';
export const isReadOnly = (access: Access): boolean => access === 'read' || access === 'agent-read';

export type ScopeDraft = {
  access: Access;
  projects: string[];
  environments: string[];
  changes: string[];
  maxChanges: string;
  maxProductionRollout: string;
};

export const NO_SCOPE: ScopeDraft = {
  access: 'all',
  projects: [],
  environments: [],
  changes: [],
  maxChanges: '',
  maxProductionRollout: '',
};

/** The scope fields that show their own error messages. */
export const SCOPE_FIELDS = [
  'scope',
  'scope.projects',
  'scope.environments',
  'scope.permissions',
  'scope.maxChanges',
  'scope.maxProductionRollout',
];

/** Returns the scope of a draft, or undefined for a token that may do everything. Empty fields set no limit. */
export function toScope(draft: ScopeDraft): Scope | undefined {
  const { access, projects, environments, changes, maxChanges, maxProductionRollout } = draft;
  if (access === 'all') return undefined;
  const projectLimit = projects.length > 0 ? { projects } : {};
  if (isReadOnly(access)) return { readOnly: true, ...projectLimit };
  const permissions = CHANGE_KINDS.filter(({ value }) => changes.includes(value)).flatMap(
    kind => kind.permissions,
  );
  return {
    ...projectLimit,
    ...(environments.length > 0 && { environments }),
    ...(permissions.length > 0 && { permissions }),
    ...(maxChanges !== '' && { maxChanges: Number(maxChanges) }),
    ...(maxProductionRollout !== '' && { maxProductionRollout: Number(maxProductionRollout) }),
  };
}

/** Describes the limits of a token, for example as "agent · payments · 12 of 20 changes left". */
export function describeScope(
  token: Pick<Schemas['PersonalToken'], 'kind' | 'scope' | 'changesLeft'>,
): string {
  const { kind, scope, changesLeft } = token;
  if (scope === null) return '';
  const { projects, environments, permissions, readOnly, maxChanges, maxProductionRollout } = scope;
  return [
    ...(kind === 'agent' ? ['agent'] : []),
    ...(readOnly ? ['read-only'] : []),
    ...[projects, environments].flatMap(names => (names ? [names.join(', ')] : [])),
    ...(permissions ? [`${permissions.length} permission${permissions.length === 1 ? '' : 's'}`] : []),
    ...(maxChanges === undefined ? [] : [`${changesLeft ?? 0} of ${maxChanges} changes left`]),
    ...(maxProductionRollout === undefined ? [] : [`at most ${maxProductionRollout} % in production`]),
  ].join(' · ');
}
