import { Writable } from 'node:stream';
import { authenticationRequired } from '@halyard/plane/platform/errors.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import pino from 'pino';
import { expect, test } from 'vitest';
import { logOptions, RequestLogController } from './log.ts';

/** Returns the log lines for a response that fails with the error after its first bytes. */
function listLogLines(error: Error): unknown[] {
  const lines: unknown[] = [];
  const write = (level: string) => (fields: object, message: string) =>
    lines.push({ level, message, ...fields });
  const log = { info: write('info'), error: write('error') };
  // The controller reads nothing else from the request.
  const request = {
    routeOptions: { url: '/export' },
    actor: { userId: 7 },
    log,
  } as unknown as FastifyRequest;
  new RequestLogController().streamError(error, request, {} as FastifyReply);
  return lines;
}

test('logs at level info, without a stack, if a response ends because the caller lost access', () => {
  expect(listLogLines(authenticationRequired('token'))).toEqual([
    {
      level: 'info',
      message: 'response ended early',
      route: '/export',
      error: 'AuthenticationRequired',
      actor: 7,
    },
  ]);
});

test('logs any other failure of a response at level error', () => {
  const error = new Error('broken');

  expect(listLogLines(error)).toEqual([
    { level: 'error', message: 'response stream failed', err: error, route: '/export' },
  ]);
});

test('logs message, stack and code of an error, without the connection that the driver attaches', () => {
  let line = '';
  const stream = new Writable({
    write: (chunk, _, done) => {
      line += chunk;
      done();
    },
  });
  const inner = Object.assign(new Error('terminated'), { code: '57P01', client: { secretKey: 4711 } });

  pino(logOptions('error'), stream).error({ err: inner }, 'failed');
  pino(logOptions('error'), stream).error({ err: new AggregateError([inner], 'all failed') }, 'failed');

  const [first, second] = line.split('\n').map(text => text && JSON.parse(text).err);
  expect(first).toEqual({
    type: 'Error',
    message: 'terminated',
    stack: expect.stringContaining('log.test.ts'),
    code: '57P01',
  });
  expect(second).toMatchObject({ message: 'all failed', errors: ['terminated'] });
  expect(line).not.toContain('4711');
});
