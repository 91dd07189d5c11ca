import { sql } from 'kysely';
import type { Tx } from '../../platform/db/database.ts';
import type { Publication } from '../../record/change-writers.ts';

/** Servers listen on this channel for new SDK documents and tokens. */
export const SDK_CHANNEL = 'halyard_sdk';

/** The environment is null for the token revision. */
type PublishedRevision = { environment: string | null; revision: number };

/** Writes the SDK documents that the transaction changed. Other changes in the same environment wait from this call until the commit. */
export async function publishDocuments(tx: Tx, groupId: string): Promise<Publication> {
  const { rows } = await sql<PublishedRevision>`
    select environment, revision from publish_change(${groupId}) order by environment`.execute(tx);
  const revisions = rows.flatMap(({ environment, revision }) =>
    environment === null ? [] : [{ environment, revision }],
  );
  return { channel: rows.length > 0 ? SDK_CHANNEL : undefined, revisions };
}
