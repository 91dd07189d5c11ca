import type { Search } from '../ui/search.ts';
import { type Row, rowsOf, type Table } from './csv.ts';
import type { PlaygroundBody } from './queries.ts';

/** The context fields that every SDK has. */
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
  /** A table with one context per row, instead of the fields. Undefined: the fields. */
  csv: string | undefined;
};

const one = (value: Search[string]): string => (Array.isArray(value) ? (value[0] ?? '') : (value ?? ''));

/** The form in a URL: `?environment=production&userId=7&property=country:NO`, or `…&csv=` with a table. */
export function formOf(search: Search): PlaygroundForm {
  return {
    project: one(search.project),
    environments: [...new Set([search.environment ?? []].flat().filter(name => name !== ''))],
    feature: one(search.feature),
    fields: Object.fromEntries(
      FIELDS.map(({ name }) => [name, one(search[name])]).filter(([, value]) => value !== ''),
    ),
    properties: [search.property ?? []].flat().map(text => {
      const end = text.indexOf(':');
      return end === -1
        ? { name: text, value: '' }
        : { name: text.slice(0, end), value: text.slice(end + 1) };
    }),
    csv: search.csv === undefined ? undefined : one(search.csv),
  };
}

export const searchOf = (form: PlaygroundForm): Search => ({
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
const OWN: readonly string[] = ['environment', ...FIELDS.map(({ name }) => name)];

/** A row of a table as a context: fields that every SDK has, and properties. */
function contextOf(row: Row): Context {
  const entries = Object.entries(row).filter(([, value]) => value !== '');
  const own = entries.filter(([name]) => OWN.includes(name));
  const properties = entries.filter(([name]) => !OWN.includes(name));
  return {
    ...Object.fromEntries(own),
    ...(properties.length > 0 ? { properties: Object.fromEntries(properties) } : {}),
  };
}

/** The rows that the form describes: those of the table, or one of its fields. */
export function rowsOfForm({ csv, fields, properties }: PlaygroundForm): Table {
  if (csv !== undefined) return rowsOf(csv);
  const named = properties.filter(({ name }) => name !== '').map(({ name, value }) => [name, value]);
  return { rows: [{ ...fields, ...Object.fromEntries(named) }] };
}

/** The request of a form. Empty fields are absent from the context. Undefined: the form is not complete. */
export function requestOf(form: PlaygroundForm): PlaygroundBody | undefined {
  const { rows } = rowsOfForm(form);
  if (form.environments.length === 0 || rows.length === 0) return undefined;
  const feature = form.feature.trim();
  return {
    environments: form.environments,
    ...(form.project === '' ? {} : { projects: [form.project] }),
    ...(feature === '' ? {} : { features: [feature] }),
    contexts: rows.map(contextOf),
  };
}
