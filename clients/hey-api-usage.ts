// Typical code with @hey-api/openapi-ts, which clients.process.test.ts compiles.
import * as api from './generated/hey-api/index.ts';

const path = { projectId: 'default', featureName: 'checkout-v2', environment: 'production' };

export async function enableFeature(): Promise<void> {
  const { error } = await api.enableFeature({ path });
  if (error) throw new Error(`${error.name}: ${error.details.map(({ message }) => message).join(', ')}`);
}

export async function searchEvents(project: string): Promise<api.Event[]> {
  const { data } = await api.searchEvents({ query: { project: `IS:${project}` } });
  return data?.events ?? [];
}

export async function createFeature(body: api.NewFeature): Promise<api.ConstraintOperator | undefined> {
  const { data } = await api.createFeature({ path, body, headers: { 'Idempotency-Key': body.name } });
  return data?.environments.at(0)?.strategies.at(0)?.constraints.at(0)?.operator;
}

// @ts-expect-error: the name is required
export const unnamed: api.NewFeature = {};
// @ts-expect-error: a number is not an event type
export const numbered: api.Event['type'] = 7;
