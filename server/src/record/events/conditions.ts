import { type Expression, type SqlBool, sql } from 'kysely';
import { containsPattern } from '../../platform/db/like.ts';
import type { EventCursor, EventFilters } from './search-query.ts';

/** Turns the filters of a search into conditions on `events`. They do not check what the caller can see. */
export function toConditions(search: EventFilters): Expression<SqlBool>[] {
  // A single value is compared with `=`, because only then does the index on (column, id) return the page in order. With any(), the
  // planner walked back through all newer events instead, which took 567 ms for a project without recent events.
  const matchesAny = (column: string, values: unknown[] | undefined) =>
    values &&
    (values.length === 1
      ? sql<SqlBool>`${sql.ref(column)} = ${values[0]}`
      : sql<SqlBool>`${sql.ref(column)} = any(${values})`);
  return [
    matchesAny('feature_name', search.feature),
    matchesAny('project', search.project),
    matchesAny('type', search.type),
    matchesAny('created_by_user_id', search.createdBy),
    matchesAny('created_by_kind', search.createdByKind),
    matchesAny('environment', search.environment),
    matchesAny('id', search.id),
    matchesAny('group_id', search.groupId),
    search.from && sql<SqlBool>`created_at >= ${search.from}::timestamp at time zone 'UTC'`,
    search.to && sql<SqlBool>`created_at < (${search.to}::date + 1)::timestamp at time zone 'UTC'`,
    search.query && containsText(search.query),
  ].filter(condition => condition !== undefined && condition !== '');
}

/**
 * Turns the ids that bound a page or an export into conditions. They are not filters, because the total of a search does not depend
 * on them.
 */
export function cursorConditions({ before, after }: EventCursor): Expression<SqlBool>[] {
  return [
    ...(before === undefined ? [] : [sql<SqlBool>`id < ${before}`]),
    ...(after === undefined ? [] : [sql<SqlBool>`id > ${after}`]),
  ];
}

/**
 * Builds the condition that an event's JSON contains the string, case-insensitively, either as typed or JSON-escaped, so that
 * users find `say "hello"` as they see it. JSON.stringify escapes the same characters as PostgreSQL's jsonb, in the same form.
 * JSON has no raw control characters, so a line feed as typed would match only the separators between the columns.
 */
export function containsText(text: string): Expression<SqlBool> {
  const matches = listTextForms(text).map(
    // In a subquery, the pattern is folded once per statement, even in a generic plan.
    form =>
      sql<SqlBool>`fold_case(event_text(data, pre_data, tags, comment)) like (select fold_case(${containsPattern(form)}))`,
  );
  return sql`(${sql.join(matches, sql` or `)})`;
}

/**
 * Returns the forms of a string that the JSON of an event may contain, which are the JSON-escaped string and the string as typed.
 */
export function listTextForms(text: string): string[] {
  const escapedForm = JSON.stringify(text).slice(1, -1);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the function looks for these characters
  const typedForms = escapedForm === text || /[\u0000-\u001f]/.test(text) ? [] : [text];
  return [escapedForm, ...typedForms];
}
