import { text } from 'node:stream/consumers';
import type { App } from '@halyard/plane/platform/http/app.ts';
import { isSdkPath } from '@halyard/plane/serving/app.ts';
import type { InjectOptions } from 'fastify';
import { ADMIN_TOKEN } from './harness.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test reads the body it expects; the serializer has checked its shape
export type ApiResponse = { status: number; body: any; headers: Record<string, unknown> };

/** Sends a request as an admin or with the given token. With null, it sends no token. */
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
  const response = await injectRequest(app, {
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
  const isJson = String(response.headers['content-type']).startsWith('application/json');
  return {
    status: response.statusCode,
    body: isJson && response.body !== '' ? JSON.parse(response.body) : response.body,
    headers: response.headers,
  };
}

/** Sends a request to the app without a network. An event stream never ends, so it is aborted after its headers. */
export async function injectRequest(
  app: App,
  options: InjectOptions,
): Promise<{ statusCode: number; headers: Record<string, unknown>; body: string }> {
  const target = isSdkPath(String(options.url)) ? app.sdk : app;
  if (
    !/^\/api\/(admin\/events\/stream|client\/streaming|edge\/v1\/stream)|^\/ofrep\/v1\/events/.test(
      String(options.url),
    )
  )
    return await target.inject(options);
  const { statusCode, headers, stream, raw } = await target.inject({ ...options, payloadAsStream: true });
  const isEndless = String(headers['content-type']).startsWith('text/event-stream');
  if (isEndless) raw.res.destroy();
  return { statusCode, headers, body: isEndless ? '' : await text(stream()) };
}
