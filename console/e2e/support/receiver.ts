import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { type Api, unique } from './api.ts';

type Received = { headers: IncomingHttpHeaders; body: { type: string; featureName: string | null } };

/** Starts a webhook receiver on this machine that responds with `status`. */
export async function startReceiver(status = 200) {
  const received: Received[] = [];
  const receiver = {
    status,
    url: '',
    received,
    /** Returns the flags of the received events, in order. */
    flags: () => received.map(({ body }) => body.featureName),
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push({ headers: request.headers, body: JSON.parse(Buffer.concat(chunks).toString()) });
      response.writeHead(receiver.status, { 'content-type': 'application/json' });
      response.end('{"received":true}');
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return receiver;
}

/** Creates an integration that reports new flags of a project to the URL. */
export async function createWebhook(
  api: Api,
  project: string,
  url: string,
  fields: object = {},
): Promise<number> {
  const { id } = await api.send<{ id: number }>('POST', '/api/admin/addons', {
    provider: 'webhook',
    description: `Webhook ${unique()}`,
    enabled: true,
    events: ['feature-created'],
    projects: [project],
    parameters: { url },
    ...fields,
  });
  return id;
}
