import { compilePattern } from '@halyard/plane/platform/pattern.ts';
import fc from 'fast-check';
import { Strategy } from 'unleash-client';
import { expect, test } from 'vitest';
import { listValidPatterns } from './patterns.ts';
import {
  findConstraintListViolations,
  listLegalForms,
  normalizeConstraint,
  rejectTooManyConstraints,
} from './rules.ts';
import type { Constraint, Operator } from './schema.ts';
import { isAddressRange, isDate, isNumber, isVersion, normalizeDate, normalizeNumber } from './values.ts';

const NO_LEGAL_VALUES = new Map<string, Set<string>>();

const violationsIn = (constraints: Constraint[], path: string, legalValues = NO_LEGAL_VALUES) =>
  findConstraintListViolations(constraints, path, {
    legalValues,
    patterns: new Set(constraints.flatMap(({ value = '' }) => (compilePattern(value) ? [value] : []))),
  });

const listPaths = (constraint: Partial<Constraint>, legalValues = NO_LEGAL_VALUES) =>
  violationsIn([{ contextName: 'field', operator: 'IN', ...constraint }], '/list', legalValues).map(
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
    ['0.0.0', '9007199254740991.0.0', '1.2.3', '1.2.3-beta.1', '1.2.3-0a.x-y+build.007', '1.0.0+0.01'],
    [
      '1',
      '1.2',
      'v1.2.3',
      '0.9007199254740992.0',
      '01.2.3',
      '1.2.3-01',
      '1.2.3-',
      '1.2.3-a..b',
      '1.2.3+',
      '1.2.3+a+b',
      '1.2.3 ',
    ],
  ],
  ['REGEX', ['^a+$', '(?i)x', '\\d{2}'], ['(', '(?<=a)b', '(a)\\1']],
])('%s accepts only values of its type', (operator, validValues, invalidValues) => {
  expect(validValues.filter(value => listPaths({ operator, value }).length > 0)).toEqual([]);
  expect(invalidValues.filter(value => listPaths({ operator, value }).length === 0)).toEqual([]);
  expect(listPaths({ operator, values: ['x'] })).toEqual(['/list/0/value']);
  expect(listPaths({ operator, value: '' })).toEqual(['/list/0/value']);
});

test('IN_CIDR accepts only IPv4 and IPv6 addresses and ranges that every SDK reads', () => {
  const listRangePaths = (values: string[]) => listPaths({ operator: 'IN_CIDR', values });
  const validRanges = [
    ...['127.0.0.1', '10.0.0.0/8', '10.1.2.3/8', '0.0.0.0/0', '255.255.255.255/32', ' 10.0.0.1 '],
    ...['::1', '::/0', '2001:db8::/32', '2001:DB8::1/128', '::ffff:10.0.0.1', '64:ff9b::10.0.0.0/104'],
  ];
  const invalidRanges = [
    ...['10.1', '10', '010.0.0.1', '0x7f.0.0.1', '256.0.0.1', '10.0.0.0/33', '10.0.0.0/08', '10.0.0.0/'],
    ...['10.0.0.0/8/8', '10.0.0.0/-1', '10.0.0.0-10.0.0.9', '10.0.0.*', 'localhost', '127.invalid', '/8'],
    ...['bad::cidr', '[::1]', 'fe80::1%eth0', '::/129', '::00001', '1::2::3', '::ffff:010.0.0.1', '::10.1'],
  ];

  expect(validRanges.filter(value => listRangePaths([value]).length > 0)).toEqual([]);
  expect(invalidRanges.filter(value => listRangePaths([value]).length === 0)).toEqual([]);
  expect(listRangePaths(['::1', '10.1', '10.0.0.1', 'x'])).toEqual(['/list/0/values/1', '/list/0/values/3']);
});

test('every accepted range matches its own address in the Node.js SDK', async () => {
  const octet = fc.nat({ max: 255 });
  const ipv4 = fc.tuple(octet, octet, octet, octet).map(octets => octets.join('.'));
  const range = fc.oneof(
    fc.tuple(ipv4, fc.option(fc.nat({ max: 32 }))),
    fc.tuple(fc.ipV6(), fc.option(fc.nat({ max: 128 }))),
  );

  fc.assert(
    fc.property(range, ([address, bits]) => {
      const value = bits === null ? address : `${address}/${bits}`;
      fc.pre(listPaths({ operator: 'IN_CIDR', values: [value] }).length === 0);

      const constraint = {
        contextName: 'remoteAddress',
        operator: 'IN_CIDR',
        values: [value],
        inverted: false,
      };
      const context = { remoteAddress: address };
      expect(new Strategy('any').checkConstraint(constraint as never, context)).toBe(true);
    }),
  );
});

test.each<Operator>(['IN', 'NOT_IN', 'STR_CONTAINS', 'STR_STARTS_WITH', 'STR_ENDS_WITH', 'IN_CIDR'])(
  '%s requires at least one value',
  operator => {
    expect(listPaths({ operator, values: ['::1'], value: '' })).toEqual([]);
    expect(listPaths({ operator, values: [] })).toEqual(['/list/0/values']);
    expect(listPaths({ operator, value: 'x' })).toEqual(['/list/0/values']);
  },
);

test('accepts inverted patterns, ranges and numbers', () => {
  expect(listPaths({ operator: 'REGEX', value: 'a', inverted: true })).toEqual([]);
  expect(listPaths({ operator: 'IN_CIDR', values: ['::1'], inverted: true })).toEqual([]);
  expect(listPaths({ operator: 'NUM_EQ', value: '1', inverted: true })).toEqual([]);
});

test('rejects values that are not legal, except for patterns and ranges', () => {
  const legal = new Map([['field', new Set(['1', '2'])]]);

  expect(listPaths({ values: ['1', '3', '2', '4'] }, legal)).toEqual([
    '/list/0/values/1',
    '/list/0/values/3',
  ]);
  expect(listPaths({ operator: 'NUM_LT', value: '3' }, legal)).toEqual(['/list/0/value']);
  expect(listPaths({ operator: 'NUM_LT', value: '2' }, legal)).toEqual([]);
  expect(listPaths({ operator: 'REGEX', value: '[12]' }, legal)).toEqual([]);
  expect(listPaths({ operator: 'IN_CIDR', values: ['10.0.0.0/8'] }, legal)).toEqual([]);
  expect(listPaths({ contextName: 'other', values: ['3'] }, legal)).toEqual([]);
});

test('lists every violation of every constraint with its path', () => {
  const violations = violationsIn(
    [
      { contextName: 'a', operator: 'IN', values: ['x'] },
      { contextName: 'a', operator: 'REGEX', value: '(' },
      { contextName: 'a', operator: 'IN_CIDR', values: ['10.0.0.0/8', '10.0.0.0/64'] },
      { contextName: 'a', operator: 'NUM_EQ' },
    ],
    '/body/constraints',
    NO_LEGAL_VALUES,
  );

  expect(violations).toEqual([
    {
      path: '/body/constraints/1/value',
      message: 'constraints.1.value is not a valid pattern in RE2 syntax',
    },
    {
      path: '/body/constraints/2/values/1',
      message: 'constraints.2.values.1 must be an IP address or a range such as 10.0.0.0/8 or 2001:db8::/32',
    },
    { path: '/body/constraints/3/value', message: 'constraints.3.value is required for operator NUM_EQ' },
  ]);
});

test('accepts at most 30 constraints of 250 values', () => {
  const constraintWith = (count: number): Constraint => ({
    contextName: 'field',
    operator: 'IN',
    values: Array(count).fill('x'),
  });

  expect(() => rejectTooManyConstraints(Array(30).fill(constraintWith(250)))).not.toThrow();
  expect(() => rejectTooManyConstraints(Array(31).fill(constraintWith(1)))).toThrow(
    'at most 30 constraints; this one has 31',
  );
  expect(() => rejectTooManyConstraints([constraintWith(251)])).toThrow(
    'at most 250 values; the one on "field" has 251',
  );
});

test('normalization fills in defaults and drops unknown fields', () => {
  const storedConstraint = {
    contextName: 'field',
    operator: 'IN',
    values: [],
    inverted: false,
    caseInsensitive: false,
  };
  const input = { contextName: 'field', operator: 'IN' as const, unknown: 1 };

  expect(normalizeConstraint(input)).toStrictEqual(storedConstraint);
  expect(normalizeConstraint({ ...input, value: '' })).toStrictEqual({ ...storedConstraint, value: '' });
});

test.each<[Operator, string, string]>([
  ['DATE_AFTER', '2026-11-15', '2026-11-15T00:00:00Z'],
  ['DATE_AFTER', '2026-11-15T09:30:00.1+02:00', '2026-11-15T09:30:00.100+02:00'],
  ['DATE_BEFORE', '2026-11-15T09:30:00.123456789Z', '2026-11-15T09:30:00.123Z'],
  ['DATE_BEFORE', '2026-11-15T09:30:00Z', '2026-11-15T09:30:00Z'],
  ['NUM_GT', '-.5', '-0.5'],
  ['NUM_GT', '1e3', '1e3'],
  ['REGEX', ' .5 ', ' .5 '],
])('%s stores %s as %s', (operator, value, storedValue) => {
  const constraint = { contextName: 'field', operator, value };

  expect(normalizeConstraint(constraint)).toMatchObject({ value: storedValue });
  expect(listPaths(constraint, new Map([['field', new Set(listLegalForms(value))]]))).toEqual([]);
  expect(
    listPaths({ operator, value: storedValue }, new Map([['field', new Set(listLegalForms(value))]])),
  ).toEqual([]);
});

test('trims the values of a list', () => {
  const constraint = { contextName: 'field', operator: 'IN' as const, values: [' a', 'b c\t', 'd'] };

  expect(normalizeConstraint(constraint)).toMatchObject({ values: ['a', 'b c', 'd'] });
  expect(
    listPaths(constraint, new Map([['field', new Set(['a ', 'b c', 'd'].flatMap(listLegalForms))]])),
  ).toEqual([]);
});

test('storing a number or date does not change its value', () => {
  const number = fc.double({ noNaN: true, noDefaultInfinity: true });
  const date = fc.date({ noInvalidDate: true, min: new Date('0000-01-01'), max: new Date('9999-12-31') });

  fc.assert(fc.property(number, value => Number(normalizeNumber(String(value))) === Number(String(value))));
  fc.assert(fc.property(date, value => Date.parse(normalizeDate(value.toISOString())) === value.getTime()));
  fc.assert(
    fc.property(date, value => {
      const day = value.toISOString().slice(0, 10);
      return Date.parse(normalizeDate(day)) === Date.parse(day);
    }),
  );
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

test('rejects hostile values that a backtracking pattern would never finish', () => {
  const repetitions = 200_000;

  expect([
    isNumber(`${'1'.repeat(repetitions)}x`),
    isDate(`2026-11-15T00:00:00.${'1'.repeat(repetitions)}`),
    isVersion(`1.1.1-${'1-.'.repeat(repetitions)}!`),
    isVersion(`${'1'.repeat(repetitions)}.1`),
    isAddressRange(`${'1:'.repeat(repetitions)}`),
    isAddressRange(`${'::'.repeat(repetitions)}/8`),
    isAddressRange(`${'1.'.repeat(repetitions)}1/${'1'.repeat(repetitions)}`),
  ]).toEqual(Array(7).fill(false));
});

test('compiles each pattern once, within a budget', async () => {
  const regex = (value: string): Constraint => ({ contextName: 'field', operator: 'REGEX', value });
  const makeCostlyPattern = (index: number) => regex(`(a{0}${'b'.repeat(80)}${index}){200}`);

  expect(await listValidPatterns([regex('^a+$'), regex('('), regex('^a+$')])).toEqual(new Set(['^a+$']));
  expect((await listValidPatterns(Array(1_000).fill(makeCostlyPattern(1)))).size).toBe(1);
  await expect(
    listValidPatterns(Array.from({ length: 30 }, (_, index) => makeCostlyPattern(index))),
  ).rejects.toThrow(/at most 300000 characters/);
});
