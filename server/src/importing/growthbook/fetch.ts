import { fetchAllPages, type JsonApi, type Page } from '../reading/fetch-pages.ts';
import type { Organization } from './schema.ts';

const PAGE_SIZE = 100;

const HINTS: Record<number, string> = {
  401: 'Check the token in --token: it must be a secret API key or a personal access token, not an SDK client key.',
  403: 'The token has no permission to read this. Use one with read-only access to features and saved groups.',
  404: 'Check the API URL in --from.',
};

type Items = { features?: unknown[]; savedGroups?: unknown[]; total?: number };

const readPage = ({ features, savedGroups, total = 0 }: Items): Page => ({
  items: features ?? savedGroups ?? [],
  totalCount: total,
});

/** Fetches everything that the import reads. Without `project`, that includes the features of all projects. */
export async function fetchGrowthBook(url: string, token: string, project?: string): Promise<Organization> {
  const headers = { authorization: `Bearer ${token}` };
  const api: JsonApi = { product: 'GrowthBook', url, headers, hints: HINTS };
  const filter = project === undefined ? '' : `projectId=${encodeURIComponent(project)}`;
  const features = await fetchAllPages(api, `/api/v1/features?${filter}`, PAGE_SIZE, readPage);
  const savedGroups = await fetchAllPages(api, '/api/v1/saved-groups?', PAGE_SIZE, readPage);
  return { features, savedGroups } as Organization;
}
