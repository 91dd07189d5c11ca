import { sql } from 'kysely';
import type { Reader, Tx } from '../db/database.ts';
import type { ContextField, LegalValue } from './schema.ts';

const FIELD = [
  'name',
  'description',
  'stickiness',
  'sort_order as sortOrder',
  sql<LegalValue[]>`legal_values`.as('legalValues'),
  'created_at as createdAt',
] as const;

export async function findContextField(db: Reader, name: string): Promise<ContextField | undefined> {
  return await db.selectFrom('context_fields').select(FIELD).where('name', '=', name).executeTakeFirst();
}

/** The field, kept from changing until the transaction ends. */
export async function lockContextField(tx: Tx, name: string): Promise<ContextField | undefined> {
  return await tx
    .selectFrom('context_fields')
    .select(FIELD)
    .where('name', '=', name)
    .forUpdate()
    .executeTakeFirst();
}

export async function listContextFields(db: Reader): Promise<ContextField[]> {
  return await db.selectFrom('context_fields').select(FIELD).orderBy('sort_order').orderBy('name').execute();
}

export async function insertContextFields(
  tx: Tx,
  fields: Omit<ContextField, 'createdAt'>[],
): Promise<ContextField[]> {
  return await tx
    .insertInto('context_fields')
    .values(fields.map(field => ({ name: field.name, ...columns(field) })))
    .returning(FIELD)
    .execute();
}

export async function updateContextField(tx: Tx, field: ContextField): Promise<void> {
  await tx.updateTable('context_fields').set(columns(field)).where('name', '=', field.name).execute();
}

const columns = (field: Omit<ContextField, 'createdAt'>) => ({
  description: field.description,
  stickiness: field.stickiness,
  sort_order: field.sortOrder,
  legal_values: JSON.stringify(field.legalValues),
});

export async function deleteContextField(tx: Tx, name: string): Promise<void> {
  await tx.deleteFrom('context_fields').where('name', '=', name).execute();
}

/** Those of the named fields that belong to another project than this. */
export async function listForeignFields(db: Reader, project: string, names: string[]): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from context_fields
    where name = any(${names}) and project <> ${project} order by name`.execute(db);
  return rows.map(row => row.name);
}
