import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compilePattern } from '../../platform/pattern.ts';
import { cpuMsOf } from '../../test/cpu-time.ts';
import { validPatterns } from './patterns.ts';
import { constraintListViolations, normaliseConstraint, rejectTooMany } from './rules.ts';
import type { Constraint, Operator } from './schema.ts';
import { isDate, isNumber, isVersion } from './values.ts';

const NO_LEGAL_VALUES = new Map<string, Set<string>>();

const violationsIn = (constraints: Constraint[], path: string, legalValues = NO_LEGAL_VALUES) =>
  constraintListViolations(constraints, path, {
    legalValues,
    patterns: new Set(constraints.flatMap(({ value = '' }) => (compilePattern(value) ? [value] : []))),
  });

const pathsOf = (constraint: Partial<Constraint>, legal = NO_LEGAL_VALUES) =>
  violationsIn([{ contextName: 'field', operator: 'IN', ...constraint }], '/list', legal).map(
    ({ path }) => path,
  );

test.each<[Operator, string[], string[]]>([
  ['NUM_EQ', ['0', '-1.5', '+3', '.5', '2.', '1e3'], ['x', ' 1', '1 ', '0x10', '1e999', 'NaN', '1,5', '.']],
  [
    'DATE_AFTER',
    ['2026-11-15', '2024-02-29', '2026-11-15T09:30:00Z', '2026-11-15T09:30:00.123+02:00'],
    ['2026-02-29', '2026-13-01', '2026-11-15T24:00:00Z', '2026-11-15T09:30:00', '2026-11-15T09:30Z', 'now'],
  ],
  [
    'SEMVER_GTE',
    ['0.0.0', '1.2.3', '1.2.3-beta.1', '1.2.3-0a.x-y+build.007', '1.0.0+0.01'],
    ['1', '1.2', 'v1.2.3', '01.2.3', '1.2.3-01', '1.2.3-', '1.2.3-a..b', '1.2.3+', '1.2.3+a+b', '1.2.3 '],
  ],
  ['REGEX', ['^a+$', '(?i)x', '\\d{2}'], ['(', '(?<=a)b', '(a)\\1']],
])('%s accepts only values of its kind', (operator, good, bad) => {
  expect(good.filter(value => pathsOf({ operator, value }).length > 0)).toEqual([]);
  expect(bad.filter(value => pathsOf({ operator, value }).length === 0)).toEqual([]);
  expect(pathsOf({ operator, values: ['x'] })).toEqual(['/list/0/value']);
  expect(pathsOf({ operator, value: '' })).toEqual(['/list/0/value']);
});

test.each<Operator>(['IN', 'NOT_IN', 'STR_CONTAINS', 'STR_STARTS_WITH', 'STR_ENDS_WITH'])(
  '%s requires at least one value',
  operator => {
    expect(pathsOf({ operator, values: ['x'], value: '' })).toEqual([]);
    expect(pathsOf({ operator, values: [] })).toEqual(['/list/0/values']);
    expect(pathsOf({ operator, value: 'x' })).toEqual(['/list/0/values']);
  },
);

test('rejects inverted with REGEX only', () => {
  expect(pathsOf({ operator: 'REGEX', value: 'a', inverted: true })).toEqual(['/list/0/inverted']);
  expect(pathsOf({ operator: 'NUM_EQ', value: '1', inverted: true })).toEqual([]);
});

test('rejects values outside the legal values, except for patterns', () => {
  const legal = new Map([['field', new Set(['1', '2'])]]);

  expect(pathsOf({ values: ['1', '3', '2', '4'] }, legal)).toEqual(['/list/0/values/1', '/list/0/values/3']);
  expect(pathsOf({ operator: 'NUM_LT', value: '3' }, legal)).toEqual(['/list/0/value']);
  expect(pathsOf({ operator: 'NUM_LT', value: '2' }, legal)).toEqual([]);
  expect(pathsOf({ operator: 'REGEX', value: '[12]' }, legal)).toEqual([]);
  expect(pathsOf({ contextName: 'other', values: ['3'] }, legal)).toEqual([]);
});

test('lists every violation of every constraint with its path', () => {
  const found = violationsIn(
    [
      { contextName: 'a', operator: 'IN', values: ['x'] },
      { contextName: 'a', operator: 'REGEX', value: '(', inverted: true },
      { contextName: 'a', operator: 'NUM_EQ' },
    ],
    '/body/constraints',
    NO_LEGAL_VALUES,
  );

  expect(found).toEqual([
    {
      path: '/body/constraints/1/value',
      message: 'constraints.1.value is not a valid pattern in RE2 syntax',
    },
    { path: '/body/constraints/1/inverted', message: 'constraints.1.inverted must not be true with REGEX' },
    { path: '/body/constraints/2/value', message: 'constraints.2.value is required with NUM_EQ' },
  ]);
});

test('accepts at most 30 constraints of 250 values', () => {
  const one = (count: number): Constraint => ({
    contextName: 'field',
    operator: 'IN',
    values: Array(count).fill('x'),
  });

  expect(() => rejectTooMany(Array(30).fill(one(250)))).not.toThrow();
  expect(() => rejectTooMany(Array(31).fill(one(1)))).toThrow('at most 30 constraints; this one has 31');
  expect(() => rejectTooMany([one(251)])).toThrow('at most 250 values; the one on "field" has 251');
});

test('normalising fills in defaults and drops unknown fields', () => {
  const stored = {
    contextName: 'field',
    operator: 'IN',
    values: [],
    inverted: false,
    caseInsensitive: false,
  };
  const given = { contextName: 'field', operator: 'IN' as const, unknown: 1 };

  expect(normaliseConstraint(given)).toStrictEqual(stored);
  expect(normaliseConstraint({ ...given, value: '' })).toStrictEqual({ ...stored, value: '' });
});

test('accepts every generated number, date and version', () => {
  const part = fc.nat({ max: 99 });
  const number = fc.double({ noNaN: true, noDefaultInfinity: true });
  const date = fc.date({ noInvalidDate: true, min: new Date('0000-01-01'), max: new Date('9999-12-31') });

  fc.assert(fc.property(number, value => isNumber(String(value))));
  fc.assert(
    fc.property(date, value => isDate(value.toISOString()) && isDate(value.toISOString().slice(0, 10))),
  );
  fc.assert(fc.property(part, part, part, (...parts) => isVersion(parts.join('.'))));
});

test('reads a hostile value in linear time', async () => {
  const long = 200_000;

  const cpuMs = await cpuMsOf(() => {
    isNumber(`${'1'.repeat(long)}x`);
    isDate(`2026-11-15T00:00:00.${'1'.repeat(long)}`);
    isVersion(`1.1.1-${'1-.'.repeat(long)}!`);
    isVersion(`${'1'.repeat(long)}.1`);
  });

  expect(cpuMs).toBeLessThan(1_000);
});

test('compiles each pattern once, within a budget', async () => {
  const regex = (value: string): Constraint => ({ contextName: 'field', operator: 'REGEX', value });
  const costly = (at: number) => regex(`(a{0}${'b'.repeat(80)}${at}){200}`);

  expect(await validPatterns([regex('^a+$'), regex('('), regex('^a+$')])).toEqual(new Set(['^a+$']));
  expect((await validPatterns(Array(1_000).fill(costly(1)))).size).toBe(1);
  await expect(validPatterns(Array.from({ length: 30 }, (_, at) => costly(at)))).rejects.toThrow(
    /at most 300000 characters/,
  );
});
