import { type TProperties, Type } from 'typebox';
import { badData, joinWithOr, type Violation } from '../../errors.ts';
import { truncate } from '../../text.ts';
import { hasControlCharacter } from './text.ts';

/** The operators of event search filters. */
const IS_OPERATORS = ['IS', 'IS_ANY_OF'] as const;
/** The same operators and their negations. */
export const CHOICE_OPERATORS = ['IS', 'IS_NOT', 'IS_ANY_OF', 'IS_NONE_OF'] as const;
/** Operators of filters on lists, such as tags. */
export const INCLUSION_OPERATORS = [
  'INCLUDE',
  'DO_NOT_INCLUDE',
  'INCLUDE_ALL_OF',
  'INCLUDE_ANY_OF',
  'EXCLUDE_IF_ANY_OF',
  'EXCLUDE_ALL',
] as const;

/**
 * The filter pattern that the API document publishes. It is quadratic on hostile input (726 ms for 16 kB), so it never runs: the
 * functions below limit the length and parse by hand what the pattern accepts.
 */
export const buildFilterPattern = (operators: readonly string[]) =>
  `^(${operators.join('|')}):(.*?)(,([a-zA-Z0-9_]+))*$`;
export const FILTER_PATTERN = buildFilterPattern(IS_OPERATORS);
export const DATE_PATTERN = '^(IS):\\d{4}-\\d{2}-\\d{2}$';
export const BOUND_PATTERN = '^(IS_BEFORE|IS_ON_OR_AFTER):\\d{4}-\\d{2}-\\d{2}$';
export const MAX_FILTER_LENGTH = 4_096;
export const MAX_TEXT_LENGTH = 8_192;
const MAX_INT4 = 2_147_483_647;
/** The largest id that a request may contain. */
export const MAX_ID = Number.MAX_SAFE_INTEGER;

const READ_BY_HAND = 'x-read-by-hand';

/**
 * The query of a list operation. parseSearch reads it in place of the schema's validator, so that all list operations share one
 * grammar and one message per rule, and the published patterns never run.
 */
export const SearchQuery = <T extends TProperties>(properties: T) =>
  Type.Object(properties, { [READ_BY_HAND]: true });

export const isReadByHand = (schema: unknown): boolean =>
  typeof schema === 'object' && schema !== null && READ_BY_HAND in schema;

/**
 * The title becomes the name of the component in the API document. It must be unique, because several operations have a parameter
 * with the same name.
 */
export const Filter = (title: string, description: string, example: string) =>
  Type.Optional(
    Type.String({
      title,
      description,
      pattern: FILTER_PATTERN,
      maxLength: MAX_FILTER_LENGTH,
      examples: [example],
    }),
  );

/** The largest page. */
const MAX_LIMIT = 1_000;

/** The parameters that select a page of a list, which parseOffset and parseLimit read. */
export const page = {
  offset: Type.Optional(
    Type.Integer({ description: 'Number of entries to skip', minimum: 0, default: 0, examples: [50] }),
  ),
  limit: Type.Optional(
    Type.Integer({
      description: `Number of entries on a page, 1 to ${MAX_LIMIT}`,
      minimum: 1,
      maximum: MAX_LIMIT,
      default: 50,
      examples: [50],
    }),
  ),
};

/** A violation in one parameter. The message follows the parameter's name: "project must start with IS: or IS_ANY_OF:". */
export class FilterError extends Error {
  /** A valid value of the parameter. */
  readonly example: string | undefined;

  constructor(message: string, example?: string) {
    super(message);
    this.example = example;
  }
}

type Operation<O extends string> = { operator: O; values: string[] };

/** An operator, a colon and comma-separated values. Whitespace around a comma is ignored. */
function parseOperation<O extends string>(value: unknown, operators: readonly O[]): Operation<O> {
  if (Array.isArray(value)) {
    const anyOperator = operators.find(name => name.endsWith('ANY_OF'));
    throw new FilterError(`is given more than once. Use ${anyOperator}:a,b for several values.`);
  }
  const text = parseSingleText(value, MAX_FILTER_LENGTH);
  const operator = operators.find(name => text.startsWith(`${name}:`));
  if (operator === undefined) {
    const prefixes = operators.map(name => `${name}:`);
    throw new FilterError(
      `must start with ${joinWithOr(prefixes)}`,
      `${operators[0]}:${exampleValue(text, operators)}`,
    );
  }
  const values = text
    .slice(operator.length + 1)
    .split(',')
    .map(item => item.trim());
  if (values.includes('')) throw new FilterError('must not contain an empty value');
  return { operator, values };
}

/** Returns the value that was given without an operator or with an unknown operator. */
function exampleValue(text: string, operators: readonly string[]): string {
  const [, word = ''] = /^([A-Za-z_]*):/.exec(text) ?? [];
  const isOperator = word === word.toUpperCase() || operators.includes(word.toUpperCase());
  return truncate(isOperator ? text.replace(`${word}:`, '') : text, 40) || 'a';
}

/** `IS:a`, `IS_ANY_OF:a,b` and, for Unleash clients, `IS:a,b`. */
export function parseFilter(value: unknown): string[] {
  return parseOperation(value, IS_OPERATORS).values;
}

/**
 * Ids of accounts. Admin tokens and the server itself have negative ids. An id that is too large for the column matches nobody.
 */
export const parseActorIds = (value: unknown): number[] => actorIds(parseFilter(value), 'event-creators');

/** Ids of the creators of features. */
export function parseActorIdChoice(value: unknown): Choice<number> {
  const { not, values } = parseChoice(value);
  return { not, values: actorIds(values, 'flag-creators') };
}

/** `listOperation` is the operation that lists the ids. */
function actorIds(values: string[], listOperation: 'event-creators' | 'flag-creators'): number[] {
  const invalidValue = values.find(text => !/^-?\d+$/.test(text));
  if (invalidValue !== undefined) {
    throw new FilterError(
      `must be a user id, not "${truncate(invalidValue, 100)}". GET /api/admin/${listOperation} lists the ids.`,
    );
  }
  return withinInt4(integers(values, -MAX_INT4 - 1, MAX_ID));
}

const withinInt4 = (ids: number[]): number[] => ids.filter(id => id <= MAX_INT4);

export function parseIntegerFilter(value: unknown, low: number, high: number): number[] {
  return integers(parseFilter(value), low, high);
}

const integers = (values: string[], low: number, high: number): number[] =>
  values.map(text => integer(text, low, high));

export const parseInteger = (value: unknown, low: number, high: number): number =>
  integer(parseSingleText(value, MAX_FILTER_LENGTH), low, high);

function integer(text: string, low: number, high: number): number {
  const number = /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (number >= low && number <= high) return number;
  throw new FilterError(`must be an integer from ${low} to ${high}`);
}

/** One of the values, or none of them. */
export type Choice<T> = { not: boolean; values: T[] };

export function parseChoice(value: unknown): Choice<string> {
  const { operator, values } = parseOperation(value, CHOICE_OPERATORS);
  return { not: operator === 'IS_NOT' || operator === 'IS_NONE_OF', values };
}

/** A choice from a list of values. */
export function parseAllowedChoice<T extends string>(value: unknown, allowed: readonly T[]): Choice<T> {
  const { not, values } = parseChoice(value);
  const chosenValues = allowed.filter(allowedValue => values.includes(allowedValue));
  if (values.some(item => !allowed.some(other => other === item)))
    throw new FilterError(`must be one of ${allowed.join(', ')}`);
  return { not, values: chosenValues };
}

/** Has one of the values, has all of them, or has none of them. */
export type Inclusion<T> = { not: boolean; all: boolean; values: T[] };

export function parseInclusion(value: unknown): Inclusion<string> {
  const { operator, values } = parseOperation(value, INCLUSION_OPERATORS);
  return {
    not: ['DO_NOT_INCLUDE', 'EXCLUDE_IF_ANY_OF', 'EXCLUDE_ALL'].includes(operator),
    all: ['INCLUDE_ALL_OF', 'EXCLUDE_ALL'].includes(operator),
    values: [...new Set(values)],
  };
}

/** `IS:2026-11-15`, a real day; returns the day. */
export function parseDay(value: unknown): string {
  const day = /^IS:(\d{4}-\d{2}-\d{2})$/.exec(parseSingleText(value, MAX_FILTER_LENGTH))?.[1];
  if (day === undefined) throw new FilterError('must be IS: and a day, such as IS:2026-11-15');
  return requireRealDay(day);
}

/** `2026-11-15`, a real day. */
export function parsePlainDay(value: unknown): string {
  const day = /^\d{4}-\d{2}-\d{2}$/.exec(parseSingleText(value, MAX_FILTER_LENGTH))?.[0];
  if (day === undefined) throw new FilterError('must be a day, such as 2026-11-15');
  return requireRealDay(day);
}

/** On or after a day, or before it. */
export type DayBound = { before: boolean; day: string };

/** `IS_ON_OR_AFTER:2026-11-15` or `IS_BEFORE:2026-11-15`. */
export function parseDayBound(value: unknown): DayBound {
  const [, operator, day] =
    /^(IS_BEFORE|IS_ON_OR_AFTER):(\d{4}-\d{2}-\d{2})$/.exec(parseSingleText(value, MAX_FILTER_LENGTH)) ?? [];
  if (day === undefined)
    throw new FilterError('must be IS_BEFORE: or IS_ON_OR_AFTER: and a day, such as IS_BEFORE:2026-11-15');
  return { before: operator === 'IS_BEFORE', day: requireRealDay(day) };
}

function requireRealDay(day: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  const isReal =
    !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day) && !day.startsWith('0000');
  if (!isReal) throw new FilterError(`must be a real date, not "${day}"`);
  return day;
}

export function parseText(value: unknown): string {
  return parseSingleText(value, MAX_TEXT_LENGTH);
}

/** Any string, including line breaks and other control characters. Only NUL is rejected: PostgreSQL cannot store it. */
export function parseAnyText(value: unknown): string {
  const text = boundedText(value, MAX_TEXT_LENGTH);
  if (text.includes('\0')) throw new FilterError('must not contain the character U+0000');
  return text;
}

/** Accepts any offset. Past the end of the list, the page is empty and the total is still correct. */
export const parseOffset = (value: unknown): number =>
  Math.min(parseCount(value, 0, Number.POSITIVE_INFINITY), Number.MAX_SAFE_INTEGER);

export const parseLimit = (value: unknown): number => parseCount(value, 1, MAX_LIMIT);

/** An id without an operator, such as the position of a cursor. */
export const parseId = (value: unknown): number => parseCount(value, 1, MAX_ID);

/** The id of the last event that a client has. 0: none. */
export const parsePosition = (value: unknown): number => parseCount(value, 0, MAX_ID);

export function parseCount(value: unknown, low: number, high: number): number {
  const text = parseSingleText(value, MAX_FILTER_LENGTH);
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (number >= low && number <= high) return number;
  throw new FilterError(
    high === Number.POSITIVE_INFINITY
      ? `must be an integer of at least ${low}`
      : `must be an integer from ${low} to ${high}`,
  );
}

export function parseEnumValue<T extends string>(value: unknown, allowed: readonly T[]): T {
  const text = parseSingleText(value, MAX_FILTER_LENGTH);
  const word = allowed.find(allowedValue => allowedValue === text);
  if (word === undefined) throw new FilterError(`must be one of ${allowed.join(', ')}`);
  return word;
}

/** Parses the known parameters of a search, or throws an error with every violation. Unknown ones are ignored. */
export function parseSearch<S extends object>(
  parameters: Record<string, unknown>,
  parsers: { [K in keyof S]-?: (value: unknown) => NonNullable<S[K]> },
  defaults: S,
): S {
  const search = { ...defaults };
  const details: Violation[] = [];
  const addViolation = (name: string, reason: string) =>
    details.push({ message: `${name} ${reason}`, path: `/query/${name}` });

  for (const [key, value] of Object.entries(parameters)) {
    const name = key.replace(/\[.*$/, '') as keyof S & string;
    if (!Object.hasOwn(parsers, name)) continue;
    if (name !== key) {
      addViolation(name, 'must not have brackets in its name');
      continue;
    }
    try {
      search[name] = parsers[name](value);
    } catch (error) {
      if (!(error instanceof FilterError)) throw error;
      const example = error.example === undefined ? '' : `, for example ${name}=${error.example}`;
      addViolation(name, `${error.message}${example}`);
    }
  }
  if (details.length > 0) throw badData(details);
  return search;
}

export function parseSingleText(value: unknown, maxLength: number): string {
  const text = boundedText(value, maxLength);
  if (hasControlCharacter(text)) throw new FilterError('must not contain control characters');
  return text;
}

function boundedText(value: unknown, maxLength: number): string {
  if (typeof value !== 'string') throw new FilterError('must be given once');
  if (value.length > maxLength) throw new FilterError(`must have at most ${maxLength} characters`);
  return value;
}
