import type { Tx } from '../../platform/db/database.ts';
import { findIntegration, type IntegrationFields, insertIntegration, replaceIntegration } from './store.ts';

/** Stores an integration under its original id, as part of an import. An existing integration keeps its signing secret. */
export async function takeOverIntegration(
  tx: Tx,
  id: number,
  fields: IntegrationFields,
  sealedSecret: string | null,
): Promise<void> {
  if (await findIntegration(tx, id)) await replaceIntegration(tx, id, fields);
  else await insertIntegration(tx, id, fields, sealedSecret);
}
