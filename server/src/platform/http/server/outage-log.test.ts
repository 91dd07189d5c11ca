import { Writable } from 'node:stream';
import { ApiError } from '@halyard/plane/platform/errors.ts';
import pg from 'pg';
import pino from 'pino';
import { expect, test } from 'vitest';
import { logOptions } from './log.ts';
import { makeOutageLog } from './outage-log.ts';

type Line = { level: number; msg: string; failures?: Record<string, number>; reason?: string };

function makeLog(summaryMs: number, endedAfterMs: number) {
  const lines: Line[] = [];
  const stream = new Writable({
    write: (chunk, _, done) => {
      lines.push(JSON.parse(String(chunk)));
      done();
    },
  });
  const outageLog = makeOutageLog(summaryMs, endedAfterMs);
  const log = pino(logOptions('info', outageLog), stream);
  outageLog.writeTo(log);
  return { log, lines, messages: () => lines.map(line => line.msg) };
}

const refusedConnection = () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
const readOnly = () => {
  const error = new pg.DatabaseError('cannot execute UPDATE in a read-only transaction', 0, 'error');
  error.code = '25006';
  return error;
};

test('in an outage, each part of the server logs its first error and counts the others', () => {
  const { log, lines } = makeLog(60_000, 60_000);

  for (let n = 0; n < 100; n++) {
    log.error({ err: refusedConnection(), job: 'index-events' }, 'job failed');
    log.child({ reqId: n }).warn({ err: readOnly() }, 'request failed');
    log.error(
      { err: new ApiError('ServiceUnavailableError', 'Retry.', { cause: refusedConnection() }) },
      'fetch failed',
    );
  }

  expect(lines.map(({ level, msg }) => [level, msg])).toEqual([
    [50, 'job failed'],
    [40, 'request failed'],
    [50, 'fetch failed'],
  ]);
});

test('requests rejected with 503 are counted during an outage, and logged at other times', async () => {
  const { log, lines, messages } = makeLog(200, 60_000);
  const reject = (status: number, error: string) => {
    log.info({ errorId: 'x', error }, 'request rejected');
    log.info({ status }, 'request');
  };
  reject(503, 'ServiceUnavailableError');
  expect(messages()).toEqual(['request rejected', 'request']);

  log.warn({ err: refusedConnection() }, 'request failed');
  for (let n = 0; n < 100; n++) reject(503, 'ServiceUnavailableError');
  reject(404, 'NotFoundError');
  expect(messages().slice(2)).toEqual(['request failed', 'request rejected', 'request']);

  await expect.poll(messages).toContain('database errors continue');
  expect(lines.find(line => line.msg === 'database errors continue')?.failures).toEqual({
    'request failed': 1,
    'request rejected with 503': 100,
    'request with 503': 100,
  });
});

test('logs every error that concerns only one statement, and every bug', () => {
  const { log, lines } = makeLog(60_000, 60_000);
  const timeoutError = Object.assign(new Error('canceling statement due to statement timeout'), {
    code: '57014',
  });

  for (const err of [
    timeoutError,
    timeoutError,
    new TypeError('x is undefined'),
    new TypeError('x is undefined'),
  ])
    log.error({ err }, 'job failed');

  expect(lines.map(line => line.level)).toEqual([50, 50, 50, 50]);
});

test('logs summaries while errors continue and once more when they end, and logs the next outage again', async () => {
  const { log, lines, messages } = makeLog(200, 1_000);
  const fail = () => log.warn({ err: refusedConnection() }, 'job failed');
  const failingTimer = setInterval(fail, 20);

  await expect.poll(messages).toContain('database errors continue');
  clearInterval(failingTimer);
  await expect.poll(messages).toContain('database errors ended');
  fail();

  const summary = lines.find(line => line.msg === 'database errors continue');
  expect(summary).toMatchObject({ level: 40, reason: 'connect ECONNREFUSED' });
  expect(summary?.failures?.['job failed']).toBeGreaterThan(0);
  expect(messages().filter(message => message === 'job failed')).toHaveLength(2);
});
