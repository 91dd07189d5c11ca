import { badData, type Violation } from '@halyard/plane/platform/errors.ts';
import type { Context } from '../explanation/context.ts';
import { MAX_VALUE_CHARACTERS, rejectTooManyContexts } from './limits.ts';
import type { AdvancedPlaygroundRequest, PlaygroundRequest } from './schema.ts';

type Input = PlaygroundRequest['context'];
type Value = string | number | boolean;

/** A context field or property, with the values to evaluate. */
type Field = { path: string; name: string; isProperty: boolean; values: Value[] };

/** The contexts of a request, composed on demand. */
export type Contexts = { count: number; at: (index: number) => Context };

/** Returns a single context, without splitting values at commas. */
export function toSingleContext(input: Input, path = '/body/context'): Contexts {
  return combine(toFields(input, value => [value], path));
}

/** Returns a context for each combination of the comma-separated values. */
function toCombinations(input: Input): Contexts {
  return combine(toFields(input, splitValues, '/body/context'));
}

/** Returns the contexts of an advanced request: the listed contexts, or every combination of the values in its one context. */
export function toContexts({ context, contexts }: AdvancedPlaygroundRequest): Contexts {
  if ((context === undefined) === (contexts === undefined))
    throw badData([{ message: 'body must have either context or contexts', path: '/body' }]);
  if (contexts === undefined) return toCombinations(context ?? {});
  const listedContexts = contexts.map((listedContext, index) =>
    toSingleContext(listedContext, `/body/contexts/${index}`).at(0),
  );
  return { count: listedContexts.length, at: index => listedContexts[index] ?? {} };
}

function splitValues(value: Value): Value[] {
  if (typeof value !== 'string' || !value.includes(',')) return [value];
  const values = value.split(',').map(part => part.trim());
  return [...new Set(values.filter(part => part !== ''))];
}

function toFields(
  { properties = {}, ...fields }: Input,
  toValues: (value: Value) => Value[],
  contextPath: string,
): Field[] {
  const field = (path: string, isProperty: boolean, [name, value]: [string, unknown]): Field => ({
    path: `${path}/${name}`,
    name,
    isProperty,
    values: toValues(value as Value),
  });
  const nonEmptyFields = [
    ...Object.entries(fields).map(entry => field(contextPath, false, entry)),
    ...Object.entries(properties).map(entry => field(`${contextPath}/properties`, true, entry)),
  ].filter(({ values }) => values.length > 0);
  const details = nonEmptyFields.flatMap(findViolations);
  if (details.length > 0) throw badData(details);
  return nonEmptyFields;
}

function findViolations({ path, name, isProperty, values }: Field): Violation[] {
  const texts = values.filter(value => typeof value === 'string');
  const longValue = texts.find(value => value.length > MAX_VALUE_CHARACTERS);
  if (longValue !== undefined) {
    const message = `a value has ${longValue.length} characters; at most ${MAX_VALUE_CHARACTERS} are allowed`;
    return [{ message, path }];
  }
  if (isProperty || name !== 'currentTime') return [];
  return texts
    .filter(value => Number.isNaN(Date.parse(value)))
    .map(value => ({ message: `"${value}" is not a time such as 2026-11-15T09:30:00Z`, path }));
}

/**
 * Combines the values of the fields. Contexts are composed on demand, because composing 25,000 of them with 100 fields each would
 * block the server.
 */
function combine(fields: Field[]): Contexts {
  const listFields = fields.filter(({ values }) => values.length > 1);
  const count = listFields.reduce((product, { values }) => product * values.length, 1);
  rejectTooManyContexts(count);
  const base = withValues({}, fields, ({ values: [first = ''] }) => first);
  return {
    count,
    at: index => {
      let remaining = index;
      return withValues(base, listFields, ({ values }) => {
        const value = values[remaining % values.length] ?? '';
        remaining = Math.floor(remaining / values.length);
        return value;
      });
    },
  };
}

function withValues(base: Context, fields: Field[], pick: (field: Field) => Value): Context {
  const contextFields: Record<string, Value> = {};
  const properties: Record<string, Value> = {};
  for (const field of fields) (field.isProperty ? properties : contextFields)[field.name] = pick(field);
  const allProperties = { ...base.properties, ...properties };
  return {
    ...base,
    ...contextFields,
    ...(Object.keys(allProperties).length > 0 ? { properties: allProperties } : {}),
  };
}
