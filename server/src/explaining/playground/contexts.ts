import { badData, type Violation } from '../../../../plane/src/platform/errors.ts';
import type { Context } from '../explanation/context.ts';
import { MAX_VALUE_CHARACTERS, rejectManyContexts } from './limits.ts';
import type { AdvancedPlaygroundRequest, PlaygroundRequest } from './schema.ts';

type Input = PlaygroundRequest['context'];
type Value = string | number | boolean;

/** A field of the context, or a property, with each value that it is evaluated with. */
type Field = { path: string; name: string; isProperty: boolean; values: Value[] };

/** All contexts of a request. */
export type Contexts = { count: number; at: (index: number) => Context };

/** The context with each value as it is. */
export function singleContext(input: Input, path = '/body/context'): Contexts {
  return combine(fieldsOf(input, value => [value], path));
}

/** One context for each combination of the comma-separated values. */
function everyContext(input: Input): Contexts {
  return combine(fieldsOf(input, separate, '/body/context'));
}

/** The contexts of a request to the advanced operation: a list, or every combination of the values of one. */
export function requestedContexts({ context, contexts }: AdvancedPlaygroundRequest): Contexts {
  if ((context === undefined) === (contexts === undefined))
    throw badData([{ message: 'body must have either context or contexts', path: '/body' }]);
  if (contexts === undefined) return everyContext(context ?? {});
  const asked = contexts.map((one, at) => singleContext(one, `/body/contexts/${at}`).at(0));
  return { count: asked.length, at: index => asked[index] ?? {} };
}

function separate(value: Value): Value[] {
  if (typeof value !== 'string' || !value.includes(',')) return [value];
  const values = value.split(',').map(one => one.trim());
  return [...new Set(values.filter(one => one !== ''))];
}

function fieldsOf(
  { properties = {}, ...fields }: Input,
  valuesOf: (value: Value) => Value[],
  at: string,
): Field[] {
  const field = (path: string, isProperty: boolean, [name, value]: [string, unknown]): Field => ({
    path: `${path}/${name}`,
    name,
    isProperty,
    values: valuesOf(value as Value),
  });
  const found = [
    ...Object.entries(fields).map(entry => field(at, false, entry)),
    ...Object.entries(properties).map(entry => field(`${at}/properties`, true, entry)),
  ].filter(({ values }) => values.length > 0);
  const details = found.flatMap(violationsOf);
  if (details.length > 0) throw badData(details);
  return found;
}

function violationsOf({ path, name, isProperty, values }: Field): Violation[] {
  const texts = values.filter(value => typeof value === 'string');
  const long = texts.find(value => value.length > MAX_VALUE_CHARACTERS);
  if (long !== undefined) {
    const message = `a value has ${long.length} characters; at most ${MAX_VALUE_CHARACTERS} are allowed`;
    return [{ message, path }];
  }
  if (isProperty || name !== 'currentTime') return [];
  return texts
    .filter(value => Number.isNaN(Date.parse(value)))
    .map(value => ({ message: `"${value}" is not a time such as 2026-11-15T09:30:00Z`, path }));
}

/** Contexts are composed when they are needed: 25,000 of them with 100 fields each would block the server. */
function combine(fields: Field[]): Contexts {
  const lists = fields.filter(({ values }) => values.length > 1);
  const count = lists.reduce((product, { values }) => product * values.length, 1);
  rejectManyContexts(count);
  const base = withValues({}, fields, ({ values: [first = ''] }) => first);
  return {
    count,
    at: index => {
      let place = index;
      return withValues(base, lists, ({ values }) => {
        const value = values[place % values.length] ?? '';
        place = Math.floor(place / values.length);
        return value;
      });
    },
  };
}

function withValues(base: Context, fields: Field[], pick: (field: Field) => Value): Context {
  const own: Record<string, Value> = {};
  const properties: Record<string, Value> = {};
  for (const field of fields) (field.isProperty ? properties : own)[field.name] = pick(field);
  const all = { ...base.properties, ...properties };
  return { ...base, ...own, ...(Object.keys(all).length > 0 ? { properties: all } : {}) };
}
