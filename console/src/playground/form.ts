import type { Search } from '../ui/search.ts';
import { parseTable, type Row, type Table } from './csv.ts';
import type { PlaygroundBody } from './queries.ts';

/** The context fields that every SDK supports. */
export const FIELDS = [
  { name: 'userId', label: 'User ID' },
  { name: 'sessionId', label: 'Session ID' },
  { name: 'remoteAddress', label: 'IP address' },
  { name: 'appName', label: 'Application' },
  { name: 'currentTime', label: 'Time' },
] as const;

type Field = (typeof FIELDS)[number]['name'];
export type Property = { name: string; value: string };
export type PlaygroundForm = {
  project: string;
  environments: string[];
  feature: string;
  fields: Partial<Record<Field, string>>;
  properties: Property[];
  /** A table with one context per row, or undefined if the form has fields instead. */
  csv: string | undefined;
};

const firstValue = (value: Search[string]): string =>
  Array.isArray(value) ? (value[0] ?? '') : (value ?? '');

/** Reads the form from a URL, such as `?environment=production&userId=7&property=country:NO` or `…&csv=` with a table. */
export function readForm(search: Search): PlaygroundForm {
  return {
    project: firstValue(search.project),
    environments: [...new Set([search.environment ?? []].flat().filter(name => name !== ''))],
    feature: firstValue(search.feature),
    fields: Object.fromEntries(
      FIELDS.map(({ name }) => [name, firstValue(search[name])]).filter(([, value]) => value !== ''),
    ),
    properties: [search.property ?? []].flat().map(text => {
      const separator = text.indexOf(':');
      return separator === -1
        ? { name: text, value: '' }
        : { name: text.slice(0, separator), value: text.slice(separator + 1) };
    }),
    csv: search.csv === undefined ? undefined : firstValue(search.csv),
  };
}

export const toSearch = (form: PlaygroundForm): Search => ({
  project: form.project,
  environment: form.environments,
  feature: form.feature.trim(),
  ...(form.csv === undefined
    ? {
        ...form.fields,
        property: form.properties
          .filter(({ name }) => name !== '')
          .map(({ name, value }) => `${name}:${value}`),
      }
    : { csv: form.csv }),
});

type Context = NonNullable<PlaygroundBody['contexts']>[number];
const STANDARD_FIELDS: readonly string[] = ['environment', ...FIELDS.map(({ name }) => name)];

/** Turns a row of a table into a context with standard fields and properties. */
function toContext(row: Row): Context {
  const entries = Object.entries(row).filter(([, value]) => value !== '');
  const standardEntries = entries.filter(([name]) => STANDARD_FIELDS.includes(name));
  const properties = entries.filter(([name]) => !STANDARD_FIELDS.includes(name));
  return {
    ...Object.fromEntries(standardEntries),
    ...(properties.length > 0 ? { properties: Object.fromEntries(properties) } : {}),
  };
}

/** Returns the rows of the table in the form, or a single row from its fields. */
export function listRows({ csv, fields, properties }: PlaygroundForm): Table {
  if (csv !== undefined) return parseTable(csv);
  const namedEntries = properties.filter(({ name }) => name !== '').map(({ name, value }) => [name, value]);
  return { rows: [{ ...fields, ...Object.fromEntries(namedEntries) }] };
}

/** Builds a form's request, without empty fields. Returns undefined if the form is incomplete. */
export function buildPlaygroundRequest(form: PlaygroundForm): PlaygroundBody | undefined {
  const { rows } = listRows(form);
  if (form.environments.length === 0 || rows.length === 0) return undefined;
  const feature = form.feature.trim();
  return {
    environments: form.environments,
    ...(form.project === '' ? {} : { projects: [form.project] }),
    ...(feature === '' ? {} : { features: [feature] }),
    contexts: rows.map(toContext),
  };
}
