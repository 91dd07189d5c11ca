import { type TProperties, Type } from 'typebox';
import { badData, either, type Violation } from '../../errors.ts';
import { truncate } from '../../text.ts';
import { hasControlCharacter } from './text.ts';

/** Operators of the filters of the event search. */
const IS = ['IS', 'IS_ANY_OF'] as const;
/** The same, and their negations. */
export const CHOICE = ['IS', 'IS_NOT', 'IS_ANY_OF', 'IS_NONE_OF'] as const;
/** Operators of filters on lists, such as tags. */
export const INCLUSION = [
  'INCLUDE',
  'DO_NOT_INCLUDE',
  'INCLUDE_ALL_OF',
  'INCLUDE_ANY_OF',
  'EXCLUDE_IF_ANY_OF',
  'EXCLUDE_ALL',
] as const;

/**
 * The filter pattern of the contract, as published. It is quadratic on hostile input (726 ms for 16 kB), so it never runs: the
 * functions below limit the length and parse by hand what the pattern accepts.
 */
export const patternOf = (operators: readonly string[]) =>
  `^(${operators.join('|')}):(.*?)(,([a-zA-Z0-9_]+))*$`;
export const FILTER_PATTERN = patternOf(IS);
export const DATE_PATTERN = '^(IS):\\d{4}-\\d{2}-\\d{2}$';
export const BOUND_PATTERN = '^(IS_BEFORE|IS_ON_OR_AFTER):\\d{4}-\\d{2}-\\d{2}$';
export const MAX_FILTER_LENGTH = 4_096;
export const MAX_TEXT_LENGTH = 8_192;
const INT4 = 2_147_483_647;
/** The largest well-formed id. Smaller ones need not exist. */
export const MAX_ID = Number.MAX_SAFE_INTEGER;

const READ_BY_HAND = 'x-read-by-hand';

/**
 * The query of a list operation. parseSearch reads it instead of the schema's validator: in one grammar, with one message
 * for each rule in all list operations, and without running the published patterns.
 */
export const SearchQuery = <T extends TProperties>(properties: T) =>
  Type.Object(properties, { [READ_BY_HAND]: true });

export const isReadByHand = (schema: unknown): boolean =>
  typeof schema === 'object' && schema !== null && READ_BY_HAND in schema;

/** The title is the name of the parameter in the API document, where other operations have parameters of the same name. */
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

/** The page of a list operation, as parseOffset and parseLimit read it. */
export const page = {
  offset: Type.Optional(
    Type.String({ description: 'Number of entries to skip', default: '0', examples: ['50'] }),
  ),
  limit: Type.Optional(
    Type.String({ description: 'Number of entries on a page, 1 to 1000', default: '50', examples: ['50'] }),
  ),
};

/** A violation of one parameter. The message follows its name: "project must start with IS: or IS_ANY_OF:". */
export class FilterError extends Error {
  /** A valid value of the parameter. */
  readonly example: string | undefined;

  constructor(message: string, example?: string) {
    super(message);
    this.example = example;
  }
}

type Filter<O extends string> = { operator: O; values: string[] };

/** An operator, a colon and comma-separated values. Whitespace around a comma is ignored. */
function parseOperation<O extends string>(value: unknown, operators: readonly O[]): Filter<O> {
  if (Array.isArray(value)) {
    const several = operators.find(one => one.endsWith('ANY_OF'));
    throw new FilterError(`is given more than once. Use ${several}:a,b for several values.`);
  }
  const text = oneText(value, MAX_FILTER_LENGTH);
  const operator = operators.find(one => text.startsWith(`${one}:`));
  if (operator === undefined) {
    const prefixes = operators.map(one => `${one}:`);
    throw new FilterError(
      `must start with ${either(prefixes)}`,
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

/** The value that was given without an operator or with an unknown one. */
function exampleValue(text: string, operators: readonly string[]): string {
  const [, word = ''] = /^([A-Za-z_]*):/.exec(text) ?? [];
  const isOperator = word === word.toUpperCase() || operators.includes(word.toUpperCase());
  return truncate(isOperator ? text.replace(`${word}:`, '') : text, 40) || 'a';
}

/** `IS:a`, `IS_ANY_OF:a,b` and, for Unleash clients, `IS:a,b`. */
export function parseFilter(value: unknown): string[] {
  return parseOperation(value, IS).values;
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

/** `listedBy`: the operation that lists the ids. */
function actorIds(values: string[], listedBy: 'event-creators' | 'flag-creators'): number[] {
  const wrong = values.find(text => !/^-?\d+$/.test(text));
  if (wrong !== undefined) {
    throw new FilterError(
      `must be a user id, not "${truncate(wrong, 100)}". GET /api/admin/${listedBy} lists the ids.`,
    );
  }
  return withinInt4(integers(values, -INT4 - 1, MAX_ID));
}

const withinInt4 = (ids: number[]): number[] => ids.filter(id => id <= INT4);

export function parseIntegerFilter(value: unknown, low: number, high: number): number[] {
  return integers(parseFilter(value), low, high);
}

const integers = (values: string[], low: number, high: number): number[] =>
  values.map(text => integer(text, low, high));

export const parseInteger = (value: unknown, low: number, high: number): number =>
  integer(oneText(value, MAX_FILTER_LENGTH), low, high);

function integer(text: string, low: number, high: number): number {
  const number = /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (number >= low && number <= high) return number;
  throw new FilterError(`must be an integer from ${low} to ${high}`);
}

/** One of the values, or none of them. */
export type Choice<T> = { not: boolean; values: T[] };

export function parseChoice(value: unknown): Choice<string> {
  const { operator, values } = parseOperation(value, CHOICE);
  return { not: operator === 'IS_NOT' || operator === 'IS_NONE_OF', values };
}

/** A choice from a list of values. */
export function parseChoiceOf<T extends string>(value: unknown, allowed: readonly T[]): Choice<T> {
  const { not, values } = parseChoice(value);
  const known = allowed.filter(one => values.includes(one));
  if (values.some(one => !allowed.some(other => other === one)))
    throw new FilterError(`must be one of ${allowed.join(', ')}`);
  return { not, values: known };
}

/** Has one of the values, has all of them, or has none of them. */
export type Inclusion<T> = { not: boolean; all: boolean; values: T[] };

export function parseInclusion(value: unknown): Inclusion<string> {
  const { operator, values } = parseOperation(value, INCLUSION);
  return {
    not: ['DO_NOT_INCLUDE', 'EXCLUDE_IF_ANY_OF', 'EXCLUDE_ALL'].includes(operator),
    all: ['INCLUDE_ALL_OF', 'EXCLUDE_ALL'].includes(operator),
    values: [...new Set(values)],
  };
}

/** `IS:2026-11-15`, a real day; returns the day. */
export function parseDay(value: unknown): string {
  const day = /^IS:(\d{4}-\d{2}-\d{2})$/.exec(oneText(value, MAX_FILTER_LENGTH))?.[1];
  if (day === undefined) throw new FilterError('must be IS: and a day, such as IS:2026-11-15');
  return realDay(day);
}

/** `2026-11-15`, a real day. */
export function parsePlainDay(value: unknown): string {
  const day = /^\d{4}-\d{2}-\d{2}$/.exec(oneText(value, MAX_FILTER_LENGTH))?.[0];
  if (day === undefined) throw new FilterError('must be a day, such as 2026-11-15');
  return realDay(day);
}

/** On or after a day, or before it. */
export type DayBound = { before: boolean; day: string };

/** `IS_ON_OR_AFTER:2026-11-15` or `IS_BEFORE:2026-11-15`. */
export function parseDayBound(value: unknown): DayBound {
  const [, operator, day] =
    /^(IS_BEFORE|IS_ON_OR_AFTER):(\d{4}-\d{2}-\d{2})$/.exec(oneText(value, MAX_FILTER_LENGTH)) ?? [];
  if (day === undefined) {
    throw new FilterError('must be IS_BEFORE: or IS_ON_OR_AFTER: and a day, such as IS_BEFORE:2026-11-15');
  }
  return { before: operator === 'IS_BEFORE', day: realDay(day) };
}

function realDay(day: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  const real = !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day) && !day.startsWith('0000');
  if (!real) throw new FilterError(`must be a real date, not "${day}"`);
  return day;
}

export function parseText(value: unknown): string {
  return oneText(value, MAX_TEXT_LENGTH);
}

/** Any string, including line breaks and other control characters. Only NUL is rejected: PostgreSQL cannot store it. */
export function parseAnyText(value: unknown): string {
  const text = boundedText(value, MAX_TEXT_LENGTH);
  if (text.includes('\0')) throw new FilterError('must not contain the character U+0000');
  return text;
}

/** No list is as long as this. Past the end, the page is empty and the total is still correct. */
export const parseOffset = (value: unknown): number =>
  Math.min(parseCount(value, 0, Number.POSITIVE_INFINITY), Number.MAX_SAFE_INTEGER);

export const parseLimit = (value: unknown): number => parseCount(value, 1, 1_000);

/** An id as a plain value, such as the position of a cursor. */
export const parseId = (value: unknown): number => parseCount(value, 1, MAX_ID);

/** The id of the last event that a client has. 0: none. */
export const parsePosition = (value: unknown): number => parseCount(value, 0, MAX_ID);

export function parseCount(value: unknown, low: number, high: number): number {
  const text = oneText(value, MAX_FILTER_LENGTH);
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (number >= low && number <= high) return number;
  throw new FilterError(
    high === Number.POSITIVE_INFINITY
      ? `must be an integer of at least ${low}`
      : `must be an integer from ${low} to ${high}`,
  );
}

export function parseWord<T extends string>(value: unknown, words: readonly T[]): T {
  const text = oneText(value, MAX_FILTER_LENGTH);
  const word = words.find(one => one === text);
  if (word === undefined) throw new FilterError(`must be one of ${words.join(', ')}`);
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
  const refuse = (name: string, why: string) =>
    details.push({ message: `${name} ${why}`, path: `/query/${name}` });

  for (const [key, value] of Object.entries(parameters)) {
    const name = key.replace(/\[.*$/, '') as keyof S & string;
    if (!Object.hasOwn(parsers, name)) continue;
    if (name !== key) {
      refuse(name, 'must not have brackets in its name');
      continue;
    }
    try {
      search[name] = parsers[name](value);
    } catch (error) {
      if (!(error instanceof FilterError)) throw error;
      const example = error.example === undefined ? '' : `, for example ${name}=${error.example}`;
      refuse(name, `${error.message}${example}`);
    }
  }
  if (details.length > 0) throw badData(details);
  return search;
}

export function oneText(value: unknown, maxLength: number): string {
  const text = boundedText(value, maxLength);
  if (hasControlCharacter(text)) throw new FilterError('must not contain control characters');
  return text;
}

function boundedText(value: unknown, maxLength: number): string {
  if (typeof value !== 'string') throw new FilterError('must be given once');
  if (value.length > maxLength) throw new FilterError(`must have at most ${maxLength} characters`);
  return value;
}
