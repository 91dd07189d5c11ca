import { sql } from 'kysely';
import { ofReadableProject } from '../access/store.ts';
import type { Actor } from '../actor.ts';
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

/** A condition on `context_fields`: global ones are seen by all, those of a project by who may read it. */
const isVisible = (actor: Actor) => sql<boolean>`(project is null or ${ofReadableProject(actor)})`;

export async function findContextField(
  db: Reader,
  actor: Actor,
  name: string,
): Promise<ContextField | undefined> {
  return await db
    .selectFrom('context_fields')
    .select(FIELD)
    .where('name', '=', name)
    .where(isVisible(actor))
    .executeTakeFirst();
}

export async function isNameTaken(db: Reader, name: string): Promise<boolean> {
  const found = await db
    .selectFrom('context_fields')
    .select('name')
    .where('name', '=', name)
    .executeTakeFirst();
  return found !== undefined;
}

/** The field, kept from changing until the transaction ends. */
export async function lockContextField(
  tx: Tx,
  actor: Actor,
  name: string,
): Promise<ContextField | undefined> {
  return await tx
    .selectFrom('context_fields')
    .select(FIELD)
    .where('name', '=', name)
    .where(isVisible(actor))
    .forUpdate()
    .executeTakeFirst();
}

export async function listContextFields(db: Reader, actor: Actor): Promise<ContextField[]> {
  return await db
    .selectFrom('context_fields')
    .select(FIELD)
    .where(isVisible(actor))
    .orderBy('sort_order')
    .orderBy('name')
    .execute();
}

export async function insertContextField(
  tx: Tx,
  field: Omit<ContextField, 'createdAt'>,
): Promise<ContextField> {
  return await tx
    .insertInto('context_fields')
    .values({ name: field.name, ...columns(field) })
    .returning(FIELD)
    .executeTakeFirstOrThrow();
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
