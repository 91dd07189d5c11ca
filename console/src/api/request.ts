import type { Client } from 'openapi-fetch';
import type { paths } from './api.gen.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
type Method = (typeof METHODS)[number];

type Options = {
  params?: { path?: Record<string, unknown>; query?: Record<string, unknown> };
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  fetch?(request: Request): Promise<Response>;
};

/** What was sent, and the response to it. */
export type Sent = { method: Method; path: string; options: Options; response: Response };

/** `/api/admin/segments/{id}` with its parameters. */
function urlOf(path: string, { path: parts = {}, query = {} }: NonNullable<Options['params']> = {}): string {
  const encode = (value: unknown) => encodeURIComponent(String(value));
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encode(parts[name]));
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().flatMap(one => (one == null ? [] : `${name}=${encode(one)}`)),
  );
  return `${location.origin}${filled}${pairs.length > 0 ? '?' : ''}${pairs.join('&')}`;
}

/** The body of a response: JSON, a string, or undefined if there is none. */
async function bodyOf(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * A client with the types of openapi-fetch, and without the parts of its code that the console does not need: they would add 2 KB
 * to the first load.
 */
export function createClient(
  send: (request: Request) => Promise<Response>,
  onResponse: (sent: Sent) => Promise<void>,
): Pick<Client<paths>, Method> {
  const call =
    (method: Method) =>
    async (path: string, options: Options = {}) => {
      const { params, body, headers, signal, fetch = send } = options;
      const request = new Request(urlOf(path, params), {
        method,
        ...(signal && { signal }),
        headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const response = await fetch(request);
      await onResponse({ method, path, options, response });
      const content = await bodyOf(response);
      return response.ok ? { data: content, response } : { error: content, response };
    };
  // The types of paths, parameters and bodies are those of openapi.json. Here they are any.
  return Object.fromEntries(METHODS.map(method => [method, call(method)])) as never;
}
