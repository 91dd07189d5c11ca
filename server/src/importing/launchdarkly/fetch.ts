import { fetchJson } from '../reading/fetch-json.ts';
import { SourceError } from '../reading/source-error.ts';
import type { Project } from './schema.ts';

/** LaunchDarkly changes responses between API versions, so the version is pinned. */
const API_VERSION = '20240415';
const PER_PAGE = 50;
const MAX_PAGES = 2_000;
const TIMEOUT_SECONDS = 30;

const HINTS: Record<number, string> = {
  401: ' Check the token in --token: it must be an access token, not an SDK key.',
  403: ' The token has no permission to read this. Use one with the role Reader.',
  404: ' Check the key of the project in --from-project.',
};

type Page = { items?: unknown[]; totalCount?: number };

/** Everything that the import reads, in as few requests as the API allows. It only reads. */
export async function fetchLaunchDarkly(url: string, token: string, project: string): Promise<Project> {
  const get = makeGet(url, token);
  const key = encodeURIComponent(project);
  const { items: environments = [] } = await get<{ items?: { key: string }[] }>(
    `/api/v2/projects/${key}/environments?limit=1000`,
  );
  const flags = await allPages(get, `/api/v2/flags/${key}?summary=0`);
  const segments: Record<string, unknown[]> = {};
  for (const { key: environment } of environments)
    segments[environment] = await allPages(
      get,
      `/api/v2/segments/${key}/${encodeURIComponent(environment)}?`,
    );
  return { flags, segments } as Project;
}

type Get = <T>(path: string) => Promise<T>;

async function allPages(get: Get, path: string): Promise<unknown[]> {
  const all: unknown[] = [];
  for (let page = 0; page < MAX_PAGES; page++) {
    const { items = [], totalCount } = await get<Page>(`${path}&limit=${PER_PAGE}&offset=${all.length}`);
    all.push(...items);
    if (items.length === 0 || all.length >= (totalCount ?? 0)) return all;
  }
  throw new SourceError(`${path} has more than ${MAX_PAGES * PER_PAGE} items.`);
}

const makeGet =
  (url: string, token: string): Get =>
  async path => {
    const { status, body } = await fetchJson(new URL(path, url), {
      product: 'LaunchDarkly',
      headers: { authorization: token, 'ld-api-version': API_VERSION },
      timeoutSeconds: TIMEOUT_SECONDS,
    });
    if (typeof body !== 'object' || body === null)
      throw new SourceError(`LaunchDarkly responded with ${status} to GET ${path}.${HINTS[status] ?? ''}`);
    return body as never;
  };
