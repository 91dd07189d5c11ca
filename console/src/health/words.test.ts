import { expect, test } from 'vitest';
import type { Finding, Health } from './queries.ts';
import {
  computeScoreAfterRepairs,
  countSnoozed,
  describeEvidence,
  formatAge,
  formatFormula,
  formatPoints,
  formatRulePoints,
  isPastLifetime,
} from './words.ts';

const NOW = Date.parse('2026-11-15T14:00:00Z');
const EVIDENCE: Finding['evidence'] = {
  since: '2026-11-12T12:00:00Z',
  createdAt: '2026-10-01T12:00:00Z',
  ageDays: 45,
  lifetimeDays: 40,
  environments: [
    { name: 'development', enabled: true, toggledAt: '', lastSeenAt: null, hasEnabledStrategies: true },
    { name: 'production', enabled: true, toggledAt: '', lastSeenAt: null, hasEnabledStrategies: true },
  ],
  lastChange: null,
  unreadable: [{ environment: 'production', segment: null, string: 'C:\\' }],
  archivedParents: ['old.parent'],
  clonedFrom: 'source',
};

test.each([
  ['stale', 'Stale since 12 Nov'],
  ['past-lifetime', '45 days old, expected lifetime 40 days'],
  ['enabled-everywhere', 'Enabled in development, production since 12 Nov'],
  ['never-seen', '45 days old'],
  ['unreadable-strategy', 'SDKs for Java, .NET, Python, Ruby and Rust cannot read C:\\'],
  ['archived-parent', 'Depends on old.parent'],
  ['duplicate-of-clone', 'Same as source since 12 Nov'],
] as const)('explains a finding of the rule %s', (rule, description) => {
  expect(describeEvidence({ rule, evidence: EVIDENCE }, NOW)).toBe(description);
});

test("formats the formula with the project's numbers", () => {
  expect(formatFormula({ features: 12, stale: 2, potentiallyStale: 1 })).toBe(
    '100 − 100 × (2 stale + 1 potentially stale) / 12 flags',
  );
  expect(formatFormula({ features: 0, stale: 0, potentiallyStale: 0 })).toContain('no flags');
});

test('computes the score as if all flags whose findings have points were archived', () => {
  const rules = [
    { rule: 'stale', findings: 1, snoozed: 0, points: 16.67 },
    { rule: 'past-lifetime', findings: 0, snoozed: 1, points: 0 },
    { rule: 'never-seen', findings: 3, snoozed: 1, points: 0 },
  ] as Health['rules'];

  expect(
    computeScoreAfterRepairs({ health: 50, counts: { features: 4, stale: 2, potentiallyStale: 0 }, rules }),
  ).toBe(67);
  expect(
    computeScoreAfterRepairs({ health: 0, counts: { features: 1, stale: 1, potentiallyStale: 0 }, rules }),
  ).toBe(100);
  expect(
    computeScoreAfterRepairs({
      health: 50,
      counts: { features: 4, stale: 2, potentiallyStale: 0 },
      rules: [],
    }),
  ).toBe(50);
});

test('computes the score as if the flags with snoozed findings were archived too', () => {
  const rules = [
    { rule: 'stale', findings: 1, snoozed: 0, points: 16.67 },
    { rule: 'past-lifetime', findings: 0, snoozed: 1, points: 0 },
    { rule: 'never-seen', findings: 3, snoozed: 1, points: 0 },
  ] as Health['rules'];
  const health = { health: 50, counts: { features: 4, stale: 1, potentiallyStale: 1 }, rules };

  expect(computeScoreAfterRepairs(health)).toBe(67);
  expect(computeScoreAfterRepairs(health, true)).toBe(100);
  expect(countSnoozed(rules)).toBe(1);
});

test('detects a stale flag that would still lower the score after unmarking', () => {
  expect(isPastLifetime(EVIDENCE)).toBe(true);
  expect(isPastLifetime({ ...EVIDENCE, ageDays: 40 })).toBe(false);
  expect(isPastLifetime({ ...EVIDENCE, lifetimeDays: null })).toBe(false);
});

test('rounds points to one decimal, and says how many findings share them', () => {
  expect(formatPoints(33.333)).toBe('+33.3');
  expect(formatPoints(25)).toBe('+25');
  expect(formatRulePoints(8.33, 1)).toBe('+8.3 points');
  expect(formatRulePoints(19.05, 3)).toBe('+19.1 points for all 3 together');
  expect(formatRulePoints(19.05, 2)).toBe('+19.1 points for both together');
});

test.each([
  [0, 'Created today'],
  [1, '1 day old'],
  [45, '45 days old'],
])('formats an age of %i days', (days, text) => {
  expect(formatAge(days)).toBe(text);
});
