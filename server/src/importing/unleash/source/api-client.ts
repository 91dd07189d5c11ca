import { SourceError } from '../../reading/source-error.ts';
import { isObject, type Json } from './api-rows.ts';

/** Sends a request to Unleash. The path begins after /api/admin/. */
export type Send = (method: 'GET' | 'POST', path: string, body?: object) => Promise<Sent>;
export type Sent = { status: number; body: unknown };

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

export function apiOf(send: Send): Api {
  const request = async (method: 'GET' | 'POST', path: string, body?: object) => {
    const sent = await send(method, path, body);
    if (sent.status === 200 || sent.status === 404) return sent;
    if (sent.status === 401 || sent.status === 403)
      throw new SourceError(
        `Unleash rejects the token with ${sent.status} for ${method} /api/admin/${path}. Use an admin token, or the personal access token of an admin.`,
      );
    throw new SourceError(`Unleash responded with ${sent.status} to ${method} /api/admin/${path}.`);
  };
  const found = ({ status, body }: Sent) => (status === 404 ? undefined : body);
  const read = async (path: string): Promise<unknown> => {
    const body = found(await request('GET', path));
    if (body === undefined) throw new SourceError(`Unleash has no /api/admin/${path}. Check the URL.`);
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
    find: async path => found(await request('GET', path)),
    post: async (path, body) => found(await request('POST', path, body)),
  };
}

export const encode = (part: unknown): string => encodeURIComponent(String(part));

const REQUESTS_AT_A_TIME = 4;

/** Runs the function for each item, a few at a time. */
export async function several<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < items.length; at += REQUESTS_AT_A_TIME)
    await Promise.all(items.slice(at, at + REQUESTS_AT_A_TIME).map(work));
}
