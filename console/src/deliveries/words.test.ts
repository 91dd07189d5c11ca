import { expect, test } from 'vitest';
import type { Attempt, DeliveryWithAttempts } from './queries.ts';
import {
  buildCurlCommand,
  buildHeadline,
  computeShares,
  formatLongDuration,
  formatResult,
  formatShare,
  formatShortResult,
  getCurrentRun,
} from './words.ts';

const attempt = (number: number, fields: Partial<Attempt> = {}): Attempt => ({
  number,
  startedAt: '2026-11-15T14:35:27Z',
  outcome: 'rejected',
  durationMs: 12,
  status: 503,
  address: null,
  error: null,
  response: null,
  headers: null,
  bodySha256: null,
  requestHeaders: null,
  ...fields,
});
const delivery = (fields: Partial<DeliveryWithAttempts> = {}): DeliveryWithAttempts => ({
  id: '44',
  integrationId: 3,
  createdAt: '2026-11-15T14:30:08Z',
  state: 'retrying',
  stateDetails: 'The receiver responded with 503.',
  event: {} as DeliveryWithAttempts['event'],
  details: { url: 'https://example.com/*****', body: { note: "it's" } },
  attempts: 3,
  lastStatus: 503,
  lastOutcome: 'rejected',
  nextAttemptAt: '2026-11-15T15:06:00Z',
  blocks: false,
  replayOf: null,
  attemptList: [attempt(1), attempt(2), attempt(3)],
  ...fields,
});
const SCHEDULE = [0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];
const NOW = Date.parse('2026-11-15T14:42:00Z');
const headline = (fields: Partial<DeliveryWithAttempts>): string => {
  const { start, emphasis = '', end = '' } = buildHeadline(delivery(fields), SCHEDULE, () => '15:06', NOW);
  return start + emphasis + end;
};

test.each([
  [{}, 'Attempt 4 of 10 in 24 minutes, at 15:06'],
  [{ state: 'pending' as const, attemptList: [] }, 'Attempt 1 of 10 in 24 minutes, at 15:06'],
  [{ attemptList: [attempt(1), attempt(2, { outcome: null })] }, 'Attempt 2 is running'],
  [
    {
      state: 'pending' as const,
      attemptList: [attempt(1, { outcome: 'gone' }), attempt(2, { outcome: null })],
    },
    'Attempt 2 is running',
  ],
  [
    { nextAttemptAt: null, stateDetails: 'Waiting for event 7, which is delivered first.' },
    'Waiting for event 7, which is delivered first.',
  ],
  [{ state: 'failed' as const, attempts: 10 }, 'Failed after 10 attempts'],
  [
    { state: 'failed' as const, attempts: 1, blocks: true },
    'Failed after 1 attempt. It blocks later deliveries',
  ],
  [{ state: 'success' as const, attempts: 2 }, 'Delivered on attempt 2'],
])('describes a delivery with %j', (fields, text) => {
  expect(headline(fields)).toBe(text);
});

test('keeps only the attempts since the schedule restarted, without interrupted attempts', () => {
  const numbers = (fields: Partial<DeliveryWithAttempts>) =>
    getCurrentRun(delivery(fields), SCHEDULE).map(({ number }) => number);

  expect(numbers({ attemptList: [attempt(1), attempt(2, { outcome: 'interrupted' }), attempt(3)] })).toEqual([
    1, 3,
  ]);
  expect(numbers({ attemptList: [attempt(1, { outcome: 'gone' }), attempt(2)] })).toEqual([2]);
  expect(numbers({ attemptList: Array.from({ length: 12 }, (_, n) => attempt(n + 1)) })).toEqual([11, 12]);
  expect(numbers({ state: 'pending', attemptList: [attempt(1)] })).toEqual([]);
});

test.each([
  [400, 'a moment'],
  [1000, '1 second'],
  [90_000, '90 seconds'],
  [5_400_000, '90 minutes'],
  [86_400_000, '24 hours'],
])('formats %i ms as %s', (ms, text) => {
  expect(formatLongDuration(ms)).toBe(text);
});

test("writes an attempt's request as a curl command", () => {
  const attemptWithHeaders = attempt(1, { requestHeaders: [{ name: 'webhook-id', value: 'msg_44' }] });

  expect(buildCurlCommand(delivery(), attemptWithHeaders)).toBe(
    [
      "curl -X POST 'https://example.com/*****' \\",
      "  -H 'webhook-id: msg_44' \\",
      `  --data-raw '{"note":"it'\\''s"}'`,
    ].join('\n'),
  );
});

test('returns the status of the response, or why there is none', () => {
  expect(formatResult(attempt(1))).toBe('503');
  expect(formatResult(attempt(1, { status: null, outcome: 'disallowed' }))).toBe('not allowed');
  expect(formatResult(attempt(1, { status: null, outcome: 'timeout' }))).toBe('timeout');
  expect(formatResult(attempt(1, { status: null, outcome: null }))).toBe('running');
});

test.each([
  [503, 'rejected', null, '503'],
  [null, 'connection', 'The receiver does not accept connections (ECONNREFUSED).', 'refused'],
  [null, 'connection', 'The receiver closed the connection.', 'failed'],
  [null, 'dns', null, 'DNS'],
  [null, 'tls', null, 'TLS'],
  [null, 'timeout', null, 'timeout'],
  [null, null, null, ''],
] as const)('abbreviates status %s and outcome %s', (status, outcome, text, code) => {
  expect(formatShortResult(status, outcome, text)).toBe(code);
});

test('rounds a share down, so that only a complete share is 100 %', () => {
  expect(formatShare(24, 46)).toEqual({ percent: '52.1 %', counts: '24 of 46' });
  expect(formatShare(9999, 10_000)).toEqual({ percent: '99.9 %', counts: '9,999 of 10,000' });
  expect(formatShare(46, 46)).toEqual({ percent: '100 %', counts: '46 of 46' });
  expect(formatShare(0, 0)).toEqual({ percent: '–', counts: 'none' });
});

test.each([
  [1, 0, '–', '–'],
  [1, 1, '0 %', '0 %'],
])('computes the shares of %i pending and %i retrying deliveries', (pending, retrying, all, first) => {
  const stats = { pending, retrying, last24Hours: { delivered: 0, deliveredFirst: 0, failed: 0 } };

  const { deliveredShare, firstAttemptShare } = computeShares(stats);

  expect([deliveredShare.percent, firstAttemptShare.percent]).toEqual([all, first]);
});
