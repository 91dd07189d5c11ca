import type { Tx } from '../../platform/db/database.ts';
import { findIntegration, type IntegrationFields, insertIntegration, replaceIntegration } from './store.ts';

/** Stores an imported integration under its original id. An existing integration keeps its signing secret. */
export async function importIntegration(
  tx: Tx,
  id: number,
  fields: IntegrationFields,
  sealedSecret: string | null,
): Promise<void> {
  if (await findIntegration(tx, id)) await replaceIntegration(tx, id, fields);
  else await insertIntegration(tx, id, fields, sealedSecret);
}
