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

/** A request and its response. */
export type Exchange = { method: Method; path: string; options: Options; response: Response };

/** Builds a URL from a path such as `/api/admin/segments/{id}` and its parameters. */
function buildUrl(
  path: string,
  { path: pathParameters = {}, query = {} }: NonNullable<Options['params']> = {},
): string {
  const encode = (value: unknown) => encodeURIComponent(String(value));
  const filledPath = path.replace(/\{(\w+)\}/g, (_, name: string) => encode(pathParameters[name]));
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().flatMap(item => (item == null ? [] : `${name}=${encode(item)}`)),
  );
  return `${location.origin}${filledPath}${pairs.length > 0 ? '?' : ''}${pairs.join('&')}`;
}

/** Returns the body of a response: parsed as JSON if possible, otherwise as a string, and undefined if it is empty. */
async function readBody(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * Creates a client with the types of openapi-fetch but without the code that the console does not need, which would add 2 KB
 * to the first load.
 */
export function createClient(
  send: (request: Request) => Promise<Response>,
  onResponse: (exchange: Exchange) => Promise<void>,
): Pick<Client<paths>, Method> {
  const call =
    (method: Method) =>
    async (path: string, options: Options = {}) => {
      const { params, body, headers, signal, fetch = send } = options;
      const request = new Request(buildUrl(path, params), {
        method,
        ...(signal && { signal }),
        headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const response = await fetch(request);
      await onResponse({ method, path, options, response });
      const content = await readBody(response);
      return response.ok ? { data: content, response } : { error: content, response };
    };
  // The return type has the paths, parameters and bodies of openapi.json, which this generic code cannot check.
  return Object.fromEntries(METHODS.map(method => [method, call(method)])) as never;
}
