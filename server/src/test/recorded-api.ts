import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** Unleash's responses by method, path and body, as bench/unleash/fixture.ts recorded them. */
export type Responses = Record<string, { status: number; body?: unknown }>;

export const RECORDED_TOKEN = '*:*.an-admin-token-for-tests-0123456789';

export const readRecorded = (version: '4.19.5' | '8.2.0'): Responses =>
  JSON.parse(
    readFileSync(new URL(`../importing/unleash/fixtures/${version}.api.json`, import.meta.url), 'utf8'),
  );

/** Starts a server that responds as Unleash did, until the test finishes. */
export async function startRecordedApi(recording: '4.19.5' | '8.2.0' | Responses): Promise<string> {
  const responses = typeof recording === 'string' ? readRecorded(recording) : recording;
  const server = createServer(async (request, reply) => {
    const body = await text(request);
    const key = `${request.method} ${request.url?.replace('/api/admin/', '')} ${body}`.trimEnd();
    const response = request.headers.authorization === RECORDED_TOKEN ? responses[key] : { status: 401 };
    reply.writeHead(response?.status ?? 404, { 'content-type': 'application/json' });
    reply.end(JSON.stringify(response?.body ?? {}));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
