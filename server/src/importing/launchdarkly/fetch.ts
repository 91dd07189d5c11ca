import { fetchAllPages, fetchObject, type JsonApi, type Page } from '../reading/fetch-pages.ts';
import type { Project } from './schema.ts';

/** Pinned, because LaunchDarkly changes its responses between API versions. */
const API_VERSION = '20240415';
const PAGE_SIZE = 50;

const HINTS: Record<number, string> = {
  401: 'Check the token in --token: it must be an access token, not an SDK key.',
  403: 'The token has no permission to read this. Use one with the Reader role.',
  404: 'Check the project key in --from-project.',
};

type Items = { items?: unknown[]; totalCount?: number };

const readPage = ({ items = [], totalCount = 0 }: Items): Page => ({ items, totalCount });

/** Fetches everything that the import reads, in as few requests as the API allows. */
export async function fetchLaunchDarkly(url: string, token: string, project: string): Promise<Project> {
  const headers = { authorization: token, 'ld-api-version': API_VERSION };
  const api: JsonApi = { product: 'LaunchDarkly', url, headers, hints: HINTS };
  const key = encodeURIComponent(project);
  const { items: environments = [] } = await fetchObject<{ items?: { key: string }[] }>(
    api,
    `/api/v2/projects/${key}/environments?limit=1000`,
  );
  const flags = await fetchAllPages(api, `/api/v2/flags/${key}?summary=0`, PAGE_SIZE, readPage);
  const segments: Record<string, unknown[]> = {};
  for (const { key: environment } of environments) {
    const path = `/api/v2/segments/${key}/${encodeURIComponent(environment)}?`;
    segments[environment] = await fetchAllPages(api, path, PAGE_SIZE, readPage);
  }
  return { flags, segments } as Project;
}
