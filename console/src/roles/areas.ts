import { PERMISSIONS } from '../api/can.ts';
import { ENVIRONMENT_PERMISSION_LABELS } from '../api/permission-words.ts';

/** The columns of the matrix. Every other permission is in the last column, with its own label. */
export const COLUMNS = ['Read', 'Create', 'Update', 'Delete'] as const;
export type Column = (typeof COLUMNS)[number];

type Position = { area: string; column: Column } | { area: string; label: string };

const listCrudPositions = (area: string, suffix: string, columns: readonly Column[]): [string, Position][] =>
  columns.map(column => [`${column.toUpperCase()}_${suffix}`, { area, column }]);
const listAccessPositions = (area: string, prefix: string): [string, Position][] => [
  [`${prefix}_READ`, { area, column: 'Read' }],
  [`${prefix}_WRITE`, { area, column: 'Update' }],
];

/** The position of each permission in the matrix. */
const POSITIONS = new Map<string, Position>([
  ...listCrudPositions('Flags', 'FEATURE', ['Create', 'Update', 'Delete']),
  ['MOVE_FEATURE_TOGGLE', { area: 'Flags', label: 'Move' }],
  ['UPDATE_FEATURE_DEPENDENCY', { area: 'Flags', label: 'Dependencies' }],
  ['UPDATE_FEATURE_VARIANTS', { area: 'Flags', label: 'Variants' }],
  ...listCrudPositions('API tokens', 'PROJECT_API_TOKEN', ['Read', 'Create', 'Delete']),
  ...listAccessPositions('Default strategies', 'PROJECT_DEFAULT_STRATEGY'),
  ...listCrudPositions('Segments', 'PROJECT_SEGMENT', ['Update']),
  ...listCrudPositions('Context fields', 'PROJECT_CONTEXT', ['Update']),
  ...listCrudPositions('Release templates', 'PROJECT_RELEASE_TEMPLATE', ['Update']),
  ...listAccessPositions('Access', 'PROJECT_USER_ACCESS'),
  ...listAccessPositions('Settings', 'PROJECT_SETTINGS'),
  ...listAccessPositions('Change requests', 'PROJECT_CHANGE_REQUEST'),
  ...listCrudPositions('Project', 'PROJECT', ['Create', 'Update', 'Delete']),
  ...listCrudPositions('Integrations', 'ADDON', ['Create', 'Update', 'Delete']),
  ...listCrudPositions('Backend tokens', 'CLIENT_API_TOKEN', COLUMNS),
  ...listCrudPositions('Frontend tokens', 'FRONTEND_API_TOKEN', COLUMNS),
  ...listCrudPositions('Applications', 'APPLICATION', ['Update']),
  ...listCrudPositions('Context fields', 'CONTEXT_FIELD', ['Create', 'Update', 'Delete']),
  ...listCrudPositions('Segments', 'SEGMENT', ['Create', 'Update', 'Delete']),
  ...listCrudPositions('Strategy types', 'STRATEGY', ['Create', 'Update', 'Delete']),
  ...listCrudPositions('Tag types', 'TAG_TYPE', ['Create', 'Update', 'Delete']),
  ...listCrudPositions('Roles', 'ROLE', ['Read']),
  ...listCrudPositions('Login history', 'LOGS', ['Read']),
  ...listCrudPositions('Sign-in', 'AUTH_CONFIGURATION', ['Update']),
  ...listCrudPositions('CORS origins', 'CORS', ['Update']),
  ...listCrudPositions('Maintenance mode', 'MAINTENANCE_MODE', ['Update']),
  ...listCrudPositions('Banners', 'INSTANCE_BANNERS', ['Update']),
  ['RELEASE_PLAN_TEMPLATE_CREATE', { area: 'Release templates', column: 'Create' }],
  ['RELEASE_PLAN_TEMPLATE_UPDATE', { area: 'Release templates', column: 'Update' }],
  ['RELEASE_PLAN_TEMPLATE_DELETE', { area: 'Release templates', column: 'Delete' }],
]);

/** Formats a permission's name, for example DELETE_PROJECT as "Delete project". */
const formatPermission = (name: string): string => {
  const text = name.toLowerCase().replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
};

export const getEnvironmentLabel = (name: string): string =>
  ENVIRONMENT_PERMISSION_LABELS[name] ?? formatPermission(name);

const LABELS: Record<string, string> = {
  ...ENVIRONMENT_PERMISSION_LABELS,
  MOVE_FEATURE_TOGGLE: 'Move flags',
  UPDATE_FEATURE_DEPENDENCY: 'Change flag dependencies',
  UPDATE_FEATURE_VARIANTS: 'Change flag variants',
  PROJECT_USER_ACCESS_READ: 'See who has access',
  PROJECT_USER_ACCESS_WRITE: 'Change who has access',
  CREATE_PROJECT: 'Create projects',
  UPDATE_PROJECT: 'Change the project',
  DELETE_PROJECT: 'Delete the project',
  ADMIN: 'Do everything',
};

/** Describes a permission for use outside the matrix, for example as "Enable and disable flags" or "Update segments". */
export function getPermissionLabel(name: string): string {
  const position = POSITIONS.get(name);
  if (LABELS[name] || !position || !('column' in position)) return LABELS[name] ?? formatPermission(name);
  return `${position.column} ${lowercaseFirst(position.area)}`;
}

/** Makes the first letter lower case, except in abbreviations such as "API tokens". */
export const lowercaseFirst = (label: string): string =>
  /^[A-Z]{2}/.test(label) ? label : label.charAt(0).toLowerCase() + label.slice(1);

/** Sorts the permissions for environments, the most important first. */
export const sortEnvironmentPermissions = (names: readonly string[]): string[] =>
  sortBy(Object.keys(ENVIRONMENT_PERMISSION_LABELS), names);

/** Sorts names in the given order, unknown names last. */
function sortBy(sortOrder: readonly string[], names: readonly string[]): string[] {
  const rank = (name: string) => (sortOrder.includes(name) ? sortOrder.indexOf(name) : sortOrder.length);
  return names.toSorted((a, b) => rank(a) - rank(b));
}

/** A matrix row, with an area's permissions by column, and further permissions with their labels. */
export type Area = {
  area: string;
  columns: Partial<Record<Column, string>>;
  more: { name: string; label: string }[];
};

/** Groups permissions into rows. Permissions that this version does not know share a separate row. */
export function groupByArea(names: readonly string[]): Area[] {
  const areas = new Map<string, Area>();
  for (const name of sortBy([...POSITIONS.keys()], names)) {
    const position = POSITIONS.get(name) ?? { area: 'More', label: formatPermission(name) };
    const row = areas.get(position.area) ?? { area: position.area, columns: {}, more: [] };
    if ('column' in position) row.columns[position.column] = name;
    else row.more.push({ name, label: position.label });
    areas.set(position.area, row);
  }
  return [...areas.values()];
}

/** Lists the operations that require a permission, such as "create flag". Operations on one flag and on several are listed once. */
export function listOperations(permission: string): string[] {
  const operations = Object.entries(PERMISSIONS)
    .filter(([, permissions]) => permissions.includes(permission))
    .map(([id]) =>
      id.replace(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`).replace(/\bfeature(s?)\b/g, 'flag$1'),
    )
    .filter(operation => !operation.startsWith('patch '));
  return operations.filter(
    operation => !operations.includes(operation.replace(/s$/, '')) || !operation.endsWith('s'),
  );
}
