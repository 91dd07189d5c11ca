import type { Search } from '../ui/search.ts';
import type { PlaygroundBody } from './queries.ts';

/** The context fields that every SDK has. */
export const FIELDS = [
  { name: 'userId', label: 'User id' },
  { name: 'sessionId', label: 'Session id' },
  { name: 'remoteAddress', label: 'Remote address' },
  { name: 'appName', label: 'Application' },
  { name: 'currentTime', label: 'Time' },
] as const;

type Field = (typeof FIELDS)[number]['name'];
export type Property = { name: string; value: string };
export type PlaygroundForm = {
  project: string;
  environment: string;
  feature: string;
  fields: Partial<Record<Field, string>>;
  properties: Property[];
};

const one = (value: Search[string]): string => (Array.isArray(value) ? (value[0] ?? '') : (value ?? ''));

/** The form of an address: `?environment=production&userId=7&property=country:NO`. */
export function formOf(search: Search): PlaygroundForm {
  return {
    project: one(search.project),
    environment: one(search.environment),
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
  };
}

export const searchOf = ({ project, environment, feature, fields, properties }: PlaygroundForm): Search => ({
  project,
  environment,
  feature,
  ...fields,
  property: properties.filter(({ name }) => name !== '').map(({ name, value }) => `${name}:${value}`),
});

/** The request of a form. Empty fields are absent from the context. */
export function requestOf(form: PlaygroundForm): PlaygroundBody {
  const fields = Object.entries(form.fields).filter(([, value]) => value !== '');
  const properties = form.properties
    .filter(({ name }) => name !== '')
    .map(({ name, value }) => [name, value]);
  return {
    environment: form.environment,
    ...(form.project === '' ? {} : { projects: [form.project] }),
    ...(form.feature === '' ? {} : { features: [form.feature] }),
    context: {
      ...Object.fromEntries(fields),
      ...(properties.length > 0 ? { properties: Object.fromEntries(properties) } : {}),
    },
  };
}

const two = (value: number): string => String(value).padStart(2, '0');

/** A time of the address as an input of the browser takes it, in the time zone of the user. Empty if it is no time. */
export function localTimeOf(instant: string | undefined): string {
  const date = new Date(instant ?? '');
  if (Number.isNaN(date.getTime())) return '';
  const day = `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** The reverse. An input that is not complete is empty. */
export function instantOf(localTime: string): string {
  const date = new Date(localTime);
  return Number.isNaN(date.getTime()) ? '' : date.toISOString();
}
