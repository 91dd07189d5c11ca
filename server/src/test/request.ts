import { text } from 'node:stream/consumers';
import type { InjectOptions } from 'fastify';
import type { App } from '../../../plane/src/platform/http/app.ts';
import { isSdkPath } from '../../../plane/src/serving/app.ts';
import { ADMIN_TOKEN } from './harness.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test reads the body it expects; the serializer has checked its shape
export type ApiResponse = { status: number; body: any; headers: Record<string, unknown> };

/** One request as an admin, or with the given token. null sends no token. */
export async function call(
  app: App,
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD',
  url: string,
  options: {
    token?: string | null;
    body?: unknown;
    headers?: Record<string, string>;
    /** The caller's IP address. */
    ip?: string;
  } = {},
): Promise<ApiResponse> {
  const token = options.token === undefined ? ADMIN_TOKEN : options.token;
  const response = await injected(app, {
    method,
    url,
    ...(options.ip === undefined ? {} : { remoteAddress: options.ip }),
    headers: {
      ...options.headers,
      ...(token === null ? {} : { authorization: token }),
      ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(options.body === undefined ? {} : { payload: JSON.stringify(options.body) }),
  });
  const json = String(response.headers['content-type']).startsWith('application/json');
  return {
    status: response.statusCode,
    body: json && response.body !== '' ? JSON.parse(response.body) : response.body,
    headers: response.headers,
  };
}

/** Sends a request to the app without a network. An event stream never ends, so it is aborted after its headers. */
export async function injected(
  app: App,
  options: InjectOptions,
): Promise<{ statusCode: number; headers: Record<string, unknown>; body: string }> {
  const to = isSdkPath(String(options.url)) ? app.sdk : app;
  if (
    !/^\/api\/(admin\/events\/stream|client\/streaming|edge\/v1\/stream)|^\/ofrep\/v1\/events/.test(
      String(options.url),
    )
  )
    return await to.inject(options);
  const { statusCode, headers, stream, raw } = await to.inject({ ...options, payloadAsStream: true });
  const endless = String(headers['content-type']).startsWith('text/event-stream');
  if (endless) raw.res.destroy();
  return { statusCode, headers, body: endless ? '' : await text(stream()) };
}
