import { sql } from 'kysely';
import type { Tx } from '../platform/db/database.ts';

/** Servers listen on this channel for new documents and tokens of SDKs. */
export const SDK_CHANNEL = 'halyard_sdk';

/** The revision that a change took in an environment. */
export type Revision = { environment: string; revision: number };

/** The environment is null for the revision of tokens. */
type Published = { environment: string | null; revision: number };

/** The part of a change that SDKs see: whether servers must be woken, and the new revisions of environments. */
export type Publication = { isNew: boolean; revisions: Revision[] };

/**
 * Writes the documents of SDKs that the transaction changed. It is the last statement of a change, because other changes of
 * the same environment wait from here until the commit.
 */
export async function publishDocuments(tx: Tx): Promise<Publication> {
  const { rows } = await sql<Published>`
    select environment, revision from publish_sdk_documents() order by environment`.execute(tx);
  const revisions = rows.flatMap(({ environment, revision }) =>
    environment === null ? [] : [{ environment, revision }],
  );
  return { isNew: rows.length > 0, revisions };
}
