import { notFound } from '../../platform/errors.ts';
import type { Change } from '../../record/change.ts';
import { type IntegrationRow, lockIntegration } from './store.ts';
import { viewFor } from './visibility.ts';

/** Locks an integration and returns it with all its projects. An integration that the actor cannot see is rejected with 404. */
export async function lockVisibleIntegration(
  { tx, actor }: Pick<Change, 'tx' | 'actor'>,
  id: number,
): Promise<IntegrationRow> {
  const integration = await lockIntegration(tx, id);
  const visible = integration && (await viewFor(tx, actor, [integration]))(integration);
  if (!integration || !visible) throw notFound(`Integration ${id}`);
  return integration;
}

/** The part of an integration that events about its deliveries contain. */
export const identityOf = ({ id, provider, description }: IntegrationRow) => ({ id, provider, description });
