import { fetchJson } from './fetch-json.ts';
import { SourceError } from './source-error.ts';

/** How to call a product's API. */
export type JsonApi = {
  product: string;
  url: string;
  headers: Record<string, string>;
  /** By status code, a sentence that says what to do about it. */
  hints: Record<number, string>;
};
/** The items in a response, and the number of items on all pages. */
export type Page = { items: unknown[]; totalCount: number };

const TIMEOUT_SECONDS = 30;
const MAX_PAGES = 2_000;

/** Fetches an object. Throws an error that says what to do if the response is anything else. */
export async function fetchObject<T extends object>(
  { product, url, headers, hints }: JsonApi,
  path: string,
): Promise<T> {
  const { status, body } = await fetchJson(new URL(path, url), {
    product,
    headers,
    timeoutSeconds: TIMEOUT_SECONDS,
  });
  if (typeof body !== 'object' || body === null) {
    const hint = hints[status] === undefined ? '' : ` ${hints[status]}`;
    throw new SourceError(`${product} responded with ${status} to GET ${path}.${hint}`);
  }
  return body as T;
}

/** Fetches the items on all pages. The path must end with `?` or with query parameters. */
export async function fetchAllPages<T extends object>(
  api: JsonApi,
  path: string,
  pageSize: number,
  readPage: (body: T) => Page,
): Promise<unknown[]> {
  const allItems: unknown[] = [];
  for (let page = 0; page < MAX_PAGES; page++) {
    const body = await fetchObject<T>(api, `${path}&limit=${pageSize}&offset=${allItems.length}`);
    const { items, totalCount } = readPage(body);
    allItems.push(...items);
    if (items.length === 0 || allItems.length >= totalCount) return allItems;
  }
  throw new SourceError(`${path} has more than ${(MAX_PAGES * pageSize).toLocaleString('en')} items.`);
}
