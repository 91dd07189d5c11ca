import { notFound } from '@halyard/plane/platform/errors.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';
import type { Change } from '../../record/change.ts';
import { findIntegration, type IntegrationRow, lockIntegration } from './store.ts';
import { viewFor } from './visibility.ts';

/** Locks an integration and returns it with all its projects. Throws 404 if the actor cannot see the integration. */
export async function lockVisibleIntegration(
  { tx, actor }: Pick<Change, 'tx' | 'actor'>,
  id: number,
): Promise<IntegrationRow> {
  return await requireVisible(tx, actor, id, await lockIntegration(tx, id));
}

/** Returns an integration with all its projects, without a lock. Throws 404 if the actor cannot see the integration. */
export const readVisibleIntegration = async (db: Reader, actor: Actor, id: number): Promise<IntegrationRow> =>
  await requireVisible(db, actor, id, await findIntegration(db, id));

async function requireVisible(
  db: Reader,
  actor: Actor,
  id: number,
  integration: IntegrationRow | undefined,
): Promise<IntegrationRow> {
  const isVisible = integration && (await viewFor(db, actor, [integration]))(integration);
  if (!integration || !isVisible) throw notFound(`Integration ${id}`);
  return integration;
}

/** The part of an integration that events about its deliveries contain. */
export const getIntegrationIdentity = ({ id, provider, description }: IntegrationRow) => ({
  id,
  provider,
  description,
});
