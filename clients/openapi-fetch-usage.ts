// Typical code with openapi-typescript and openapi-fetch, which clients.process.test.ts compiles.
import createClient from 'openapi-fetch';
import type { components, paths } from './generated/openapi-typescript.ts';

type Event = components['schemas']['Event'];
type NewFeature = components['schemas']['NewFeature'];

const { GET, POST } = createClient<paths>({ baseUrl: 'http://127.0.0.1:4242' });

export async function enableFeature(projectId: string, featureName: string): Promise<void> {
  const path = { projectId, featureName, environment: 'production' };
  const { error } = await POST(
    '/api/admin/projects/{projectId}/features/{featureName}/environments/{environment}/on',
    { params: { path } },
  );
  if (error) throw new Error(`${error.name}: ${error.details.map(({ message }) => message).join(', ')}`);
}

export async function searchEvents(project: string): Promise<Event[]> {
  const { data } = await GET('/api/admin/search/events', { params: { query: { project: `IS:${project}` } } });
  return data?.events ?? [];
}

export async function createFeature(projectId: string, body: NewFeature): Promise<string | undefined> {
  const { data } = await POST('/api/admin/projects/{projectId}/features', {
    params: { path: { projectId }, header: { 'Idempotency-Key': body.name } },
    body,
  });
  return data?.environments.at(0)?.strategies.at(0)?.constraints.at(0)?.operator;
}

// @ts-expect-error: the name is required
export const unnamed: NewFeature = {};
// @ts-expect-error: a number is not an event type
export const numbered: Event['type'] = 7;
