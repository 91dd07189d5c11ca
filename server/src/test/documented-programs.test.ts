import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { expect, onTestFinished, test } from 'vitest';

const ROOT = new URL('../../../', import.meta.url);
const readPage = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8');

const FLAG = { 'README.md': 'sepa-instant', 'docs/how-to/use-a-server-sdk.md': 'pay.gift-wrap' };

/** Reads a program from a page and points it to a server that does not exist, because nothing listens on port 1. */
function readProgram(path: keyof typeof FLAG): string {
  const text = readPage(path);
  const [, program = ''] = /<<'END'\n(.*?)\nEND\n/s.exec(text) ?? /```js\n(.*?)```/s.exec(text) ?? [];
  return program
    .replace('http://localhost:4242', 'http://127.0.0.1:1')
    .replace('hyc_…', 'hyc_x')
    .replace("appName: 'shop',", "appName: 'shop', refreshInterval: 1000,")
    .replace('listen(3000)', 'listen(0)');
}

test.each(['README.md', 'docs/how-to/use-a-server-sdk.md'] as const)(
  'the program on %s keeps running without a server, and returns the fallback',
  async path => {
    const folder = mkdtempSync(join(tmpdir(), 'halyard-program-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    symlinkSync(new URL('node_modules', ROOT), join(folder, 'node_modules'));
    const statement = `flags.once('error', () => console.log(flags.isEnabled('${FLAG[path]}'), flags.isEnabled('${FLAG[path]}', {}, true)));`;
    writeFileSync(join(folder, 'program.mjs'), `${readProgram(path)}\n${statement}\n`);
    const env = { ...process.env, URL: 'http://127.0.0.1:1', SDK_TOKEN: 'x', TMPDIR: folder };
    const childProcess = spawn(process.execPath, ['program.mjs'], { cwd: folder, env });
    let [printed, errors] = ['', ''];
    childProcess.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
    childProcess.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors += text;
    });
    const programExit = once(childProcess, 'exit');

    await expect.poll(() => printed).toBe('false true\n');
    // The program reports a second error, so it has survived the first one.
    await expect.poll(() => errors.split('flags: ').length).toBeGreaterThan(2);
    expect(childProcess.exitCode).toBeNull();

    childProcess.kill('SIGKILL');
    await programExit;
  },
);

type Handler = (request: object, response: object, next: (error: unknown) => void) => Promise<void>;

/**
 * Calls the documented receiver as Express does, and returns what it did. Throws if the receiver's promise is rejected, because
 * with Express 4, that would end the process.
 */
async function receive(body: string, headers: Record<string, string>, enqueue = async () => {}) {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const [, code = ''] = /```js\n(.*?)```/s.exec(readPage('docs/how-to/receive-webhooks.md')) ?? [];
  const source = code.replace(/import .*\n/, '').replace('process.env.SIGNING_SECRET', 'secret');
  let handler: Handler | undefined;
  const app = { post: (_path: string, _raw: unknown, routeHandler: Handler) => (handler = routeHandler) };
  new Function('app', 'express', 'Webhook', 'secret', 'enqueue', source)(
    app,
    { raw: () => {} },
    Webhook,
    secret,
    enqueue,
  );
  const isSigned = headers['webhook-signature'] === 'valid';
  const now = new Date();
  const headersToSend = isSigned
    ? {
        'webhook-id': 'one',
        'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
        'webhook-signature': new Webhook(secret).sign('one', now, body),
      }
    : headers;
  const outcome: { status?: number; error?: unknown } = {};
  const response = {
    sendStatus: (status: number) => {
      outcome.status = status;
    },
  };
  await handler?.({ body: Buffer.from(body), headers: headersToSend }, response, error => {
    outcome.error = error;
  });
  return outcome;
}

test('the documented webhook receiver rejects a forged request and survives it', async () => {
  const forgedHeaders = { 'webhook-id': 'one', 'webhook-timestamp': '1', 'webhook-signature': 'v1,x' };

  expect(await receive('{}', {})).toEqual({ status: 401 });
  expect(await receive('{}', forgedHeaders)).toEqual({ status: 401 });
  expect(await receive('{}', { 'webhook-signature': 'valid' })).toEqual({ status: 204 });
});

test('the documented webhook receiver lets Halyard retry if it cannot store an event', async () => {
  const queueError = new Error('queue down');

  const outcome = await receive('{}', { 'webhook-signature': 'valid' }, async () => {
    throw queueError;
  });

  expect(outcome).toEqual({ error: queueError });
});
