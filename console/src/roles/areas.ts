import { permissionsOf } from '../api/api.gen.ts';
import { ENVIRONMENT_LABELS } from '../api/permission-words.ts';

/** The columns of the matrix. Everything else is in the last one, with its own label. */
export const COLUMNS = ['Read', 'Create', 'Update', 'Delete'] as const;
export type Column = (typeof COLUMNS)[number];

type Place = { area: string; column: Column } | { area: string; label: string };

const crud = (area: string, suffix: string, columns: readonly Column[]): [string, Place][] =>
  columns.map(column => [`${column.toUpperCase()}_${suffix}`, { area, column }]);
const access = (area: string, prefix: string): [string, Place][] => [
  [`${prefix}_READ`, { area, column: 'Read' }],
  [`${prefix}_WRITE`, { area, column: 'Update' }],
];

/** Where a permission is in the matrix. */
const PLACES = new Map<string, Place>([
  ...crud('Flags', 'FEATURE', ['Create', 'Update', 'Delete']),
  ['MOVE_FEATURE_TOGGLE', { area: 'Flags', label: 'Move' }],
  ['UPDATE_FEATURE_DEPENDENCY', { area: 'Flags', label: 'Dependencies' }],
  ['UPDATE_FEATURE_VARIANTS', { area: 'Flags', label: 'Variants' }],
  ...crud('API tokens', 'PROJECT_API_TOKEN', ['Read', 'Create', 'Delete']),
  ...access('Default strategies', 'PROJECT_DEFAULT_STRATEGY'),
  ...crud('Segments', 'PROJECT_SEGMENT', ['Update']),
  ...crud('Context fields', 'PROJECT_CONTEXT', ['Update']),
  ...crud('Release templates', 'PROJECT_RELEASE_TEMPLATE', ['Update']),
  ...access('Access', 'PROJECT_USER_ACCESS'),
  ...access('Settings', 'PROJECT_SETTINGS'),
  ...access('Change requests', 'PROJECT_CHANGE_REQUEST'),
  ...crud('Project', 'PROJECT', ['Create', 'Update', 'Delete']),
  ...crud('Integrations', 'ADDON', ['Create', 'Update', 'Delete']),
  ...crud('Backend tokens', 'CLIENT_API_TOKEN', COLUMNS),
  ...crud('Frontend tokens', 'FRONTEND_API_TOKEN', COLUMNS),
  ...crud('Applications', 'APPLICATION', ['Update']),
  ...crud('Context fields', 'CONTEXT_FIELD', ['Create', 'Update', 'Delete']),
  ...crud('Segments', 'SEGMENT', ['Create', 'Update', 'Delete']),
  ...crud('Strategy types', 'STRATEGY', ['Create', 'Update', 'Delete']),
  ...crud('Tag types', 'TAG_TYPE', ['Create', 'Update', 'Delete']),
  ...crud('Roles', 'ROLE', ['Read']),
  ...crud('Login history', 'LOGS', ['Read']),
  ...crud('Sign-in', 'AUTH_CONFIGURATION', ['Update']),
  ...crud('CORS origins', 'CORS', ['Update']),
  ...crud('Maintenance mode', 'MAINTENANCE_MODE', ['Update']),
  ...crud('Banners', 'INSTANCE_BANNERS', ['Update']),
  ['RELEASE_PLAN_TEMPLATE_CREATE', { area: 'Release templates', column: 'Create' }],
  ['RELEASE_PLAN_TEMPLATE_UPDATE', { area: 'Release templates', column: 'Update' }],
  ['RELEASE_PLAN_TEMPLATE_DELETE', { area: 'Release templates', column: 'Delete' }],
]);

/** DELETE_PROJECT is shown as "Delete project". */
const wordsOf = (name: string): string => {
  const words = name.toLowerCase().replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

export const environmentLabel = (name: string): string => ENVIRONMENT_LABELS[name] ?? wordsOf(name);

const LABELS: Record<string, string> = {
  ...ENVIRONMENT_LABELS,
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

/** A permission outside the matrix, in the same words: "Enable and disable flags", "Update segments". */
export function permissionLabel(name: string): string {
  const place = PLACES.get(name);
  if (LABELS[name] || !place || !('column' in place)) return LABELS[name] ?? wordsOf(name);
  return `${place.column} ${inSentence(place.area)}`;
}

/** Without the capital letter at the start, except for "API tokens". */
export const inSentence = (label: string): string =>
  /^[A-Z]{2}/.test(label) ? label : label.charAt(0).toLowerCase() + label.slice(1);

/** The permissions for environments, most important first. */
export const environmentRows = (names: readonly string[]): string[] =>
  sortedBy(Object.keys(ENVIRONMENT_LABELS), names);

/** In the given order, unknown ones last. */
function sortedBy(order: readonly string[], names: readonly string[]): string[] {
  const rank = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length);
  return names.toSorted((one, other) => rank(one) - rank(other));
}

/** A row of the matrix: the permissions of an area, by column, and further ones with their labels. */
export type Area = {
  area: string;
  columns: Partial<Record<Column, string>>;
  more: { name: string; label: string }[];
};

/** The rows for these permissions. A permission that this version does not know gets a separate row. */
export function areasOf(names: readonly string[]): Area[] {
  const areas = new Map<string, Area>();
  for (const name of sortedBy([...PLACES.keys()], names)) {
    const place = PLACES.get(name) ?? { area: 'More', label: wordsOf(name) };
    const row = areas.get(place.area) ?? { area: place.area, columns: {}, more: [] };
    if ('column' in place) row.columns[place.column] = name;
    else row.more.push({ name, label: place.label });
    areas.set(place.area, row);
  }
  return [...areas.values()];
}

/** The operations that require the permission, in words: "create flag". Operations on one flag and on several are listed once. */
export function operationsOf(permission: string): string[] {
  const operations = Object.entries(permissionsOf)
    .filter(([, permissions]) => (permissions as readonly string[]).includes(permission))
    .map(([id]) =>
      id.replace(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`).replace(/\bfeature(s?)\b/g, 'flag$1'),
    )
    .filter(words => !words.startsWith('patch '));
  return operations.filter(words => !operations.includes(words.replace(/s$/, '')) || !words.endsWith('s'));
}
