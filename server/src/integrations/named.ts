import type { Tx } from '../db/database.ts';
import { notFound } from '../errors.ts';
import { lockIntegration } from './store.ts';

/** What an event about an integration says of it; it stays as it is until the transaction ends. */
export async function integrationToChange(tx: Tx, id: number) {
  const integration = await lockIntegration(tx, id);
  if (!integration) throw notFound(`Integration ${id}`);
  const { provider, description, enabled } = integration;
  return { id, provider, description, enabled };
}
