export type Api = { url: string; token: string };

export type Response = { status: number; retryAfter: string | null; body: string };

/** One request on a connection that the platform keeps. Rejects only when there is no response at all. */
export async function request(
  api: Api,
  method: string,
  path: string,
  body?: object,
  withinMs = 60_000,
): Promise<Response> {
  const response = await fetch(`${api.url}/api/admin${path}`, {
    method,
    headers: { authorization: api.token, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
    signal: AbortSignal.timeout(withinMs),
  });
  return {
    status: response.status,
    retryAfter: response.headers.get('retry-after'),
    body: await response.text(),
  };
}

/** For the preparation: anything but success ends the campaign. */
export async function must(api: Api, method: string, path: string, body?: object): Promise<unknown> {
  const { status, body: text } = await request(api, method, path, body);
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}
