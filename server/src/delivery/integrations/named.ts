import type { Actor } from '../../platform/actor.ts';
import type { Tx } from '../../platform/db/database.ts';
import { notFound } from '../../platform/errors.ts';
import { lockIntegration } from './store.ts';
import { viewFor } from './visible.ts';

/** What an event about an integration says of it; it stays as it is until the transaction ends. */
export async function integrationToChange(tx: Tx, actor: Actor, id: number) {
  const stored = await lockIntegration(tx, id);
  const integration = stored && (await viewFor(tx, actor, [stored]))(stored);
  if (!integration) throw notFound(`Integration ${id}`);
  const { provider, description, enabled } = integration;
  return { id, provider, description, enabled };
}
