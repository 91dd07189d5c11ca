import { createHmac, randomBytes } from 'node:crypto';
import type { schemas } from '../../api/api.gen.ts';
import { command } from '../../command.ts';
import type { Context } from '../../context.ts';
import { usageError } from '../../errors.ts';
import { sanitize } from '../../output.ts';
import { VERSION } from '../../version.ts';
import { buildFilters, FILTERS } from '../events/filters.ts';
import { tailEvents } from '../events/stream.ts';

const TIMEOUT_MS = 15_000;

type ForwardedEvent = { event: number; type: string; status: number | null; error?: string };

export const listen = command({
  name: 'listen',
  brief: 'Forward new events to a webhook receiver on your machine',
  description:
    'Sends each event as a webhook integration does, with the same body, headers and signature, so that you can develop a receiver without a public URL. The command sends each event once and creates nothing on the server. Without --secret, it prints a secret that is valid until the command ends.',
  options: {
    forwardTo: {
      type: 'string',
      value: 'url',
      required: true,
      brief: 'URL of the receiver, such as http://localhost:3000/hook',
    },
    secret: {
      type: 'string',
      value: 'whsec',
      brief: 'Signing secret of the receiver; can also be set as HALYARD_WEBHOOK_SECRET',
    },
    ...FILTERS,
    count: {
      type: 'integer',
      value: 'number',
      min: 1,
      max: 1_000_000_000,
      brief: 'Stop after this many events',
    },
  },
  streams: true,
  calls: ['streamEvents'],
  output: {
    type: 'object',
    required: ['event', 'type', 'status'],
    properties: {
      event: { type: 'integer' },
      type: { type: 'string' },
      status: { type: ['integer', 'null'] },
      error: { type: 'string' },
    },
  },
  examples: [
    { does: 'Develop a receiver', run: 'listen --forward-to http://localhost:3000/hook --project payments' },
  ],
  run: async function* (context, _args, { forwardTo, secret, count, ...filters }) {
    const url = URL.parse(forwardTo);
    if (!url || !['http:', 'https:'].includes(url.protocol))
      throw usageError(
        `${JSON.stringify(forwardTo)} is not an HTTP URL. Use one such as http://localhost:3000/hook.`,
      );
    const configuredSecret = secret ?? (context.env.HALYARD_WEBHOOK_SECRET || undefined);
    if (configuredSecret !== undefined && !/^whsec_[A-Za-z0-9+/]+=*$/.test(configuredSecret))
      throw usageError('A signing secret begins with whsec_, followed by base64.');
    const signingSecret = configuredSecret ?? `whsec_${randomBytes(32).toString('base64')}`;
    if (configuredSecret === undefined) context.stderr.write(`Signing secret: ${signingSecret}\n`);
    let remaining = count ?? Number.POSITIVE_INFINITY;
    for await (const event of tailEvents(context, buildFilters(undefined, filters), undefined)) {
      yield await forward(context, url.href, signingSecret, event);
      if (--remaining <= 0) return;
    }
  },
  text: ({ event, type, status, error }) => sanitize(`${type} ${event} → ${status ?? error}`),
});

/** Signs an event as the server does, following the standard at https://www.standardwebhooks.com */
export function sign(secret: string, id: string, timestamp: string, body: string): string {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}

async function forward(
  { signal }: Context,
  url: string,
  secret: string,
  event: schemas['Event'],
): Promise<ForwardedEvent> {
  const body = JSON.stringify(event);
  const id = `cli-${event.id}`;
  const timestamp = String(Math.floor(Date.now() / 1000));
  const headers = {
    'content-type': 'application/json',
    'user-agent': `halyard-cli/${VERSION}`,
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': sign(secret, id, timestamp, body),
  };
  const result = { event: event.id, type: event.type };
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    await response.body?.cancel();
    return { ...result, status: response.status };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    const { cause } = error as { cause?: { code?: string } };
    return { ...result, status: null, error: cause?.code ?? (error as Error).message };
  }
}
