import { SourceError } from '../../reading/source-error.ts';
import { isObject, type Json } from './api-rows.ts';

/** Sends a request to Unleash. The path begins after /api/admin/. */
export type Send = (method: 'GET' | 'POST', path: string, body?: object) => Promise<ApiResponse>;
export type ApiResponse = { status: number; body: unknown };

export type Api = {
  /** Rejects every status other than 200. */
  read: (path: string) => Promise<unknown>;
  /** Undefined if this version or edition does not have the path. */
  find: (path: string) => Promise<unknown>;
  /**
   * The objects of a list that every version has. Any other response is an error, because items that are missing from the list
   * may count as deleted.
   */
  list: (path: string, field?: string) => Promise<Json[]>;
  post: (path: string, body: object) => Promise<unknown>;
};

export function createApi(send: Send): Api {
  const request = async (method: 'GET' | 'POST', path: string, body?: object) => {
    const response = await send(method, path, body);
    if (response.status === 200 || response.status === 404) return response;
    if (response.status === 401 || response.status === 403)
      throw new SourceError(
        `Unleash rejected the token with ${response.status} on ${method} /api/admin/${path}. Use an admin token, or the personal access token of an admin.`,
      );
    throw new SourceError(`Unleash responded with ${response.status} to ${method} /api/admin/${path}.`);
  };
  const getBody = ({ status, body }: ApiResponse) => (status === 404 ? undefined : body);
  const read = async (path: string): Promise<unknown> => {
    const body = getBody(await request('GET', path));
    if (body === undefined)
      throw new SourceError(
        `Unleash has no /api/admin/${path}. Check the URL in --from, which must end before /api.`,
      );
    return body;
  };
  return {
    read,
    list: async (path, field) => {
      const body = await read(path);
      const list = field === undefined ? body : isObject(body) ? body[field] : undefined;
      if (!Array.isArray(list))
        throw new SourceError(`Unleash responded to GET /api/admin/${path} without a list. Check the URL.`);
      return list.filter(isObject);
    },
    find: async path => getBody(await request('GET', path)),
    post: async (path, body) => getBody(await request('POST', path, body)),
  };
}

/** Encodes a name for a path. Unleash cannot store half of a surrogate pair in a name, but a different server may send one. */
export function encode(part: unknown): string {
  const text = String(part);
  if (!text.isWellFormed())
    throw new SourceError(`Unleash responded with the invalid name ${JSON.stringify(text)}.`);
  return encodeURIComponent(text);
}

const MAX_CONCURRENT_REQUESTS = 4;

/** Runs the function for each item, a few at a time. */
export async function forEachConcurrently<T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  for (let index = 0; index < items.length; index += MAX_CONCURRENT_REQUESTS)
    await Promise.all(items.slice(index, index + MAX_CONCURRENT_REQUESTS).map(work));
}
