import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';

/** Statements with one wrong annotation each, which the check must find. */
export const PLANTED: Record<string, { run: (db: Db) => Promise<unknown>; problem: string }> = {
  'a column that the statement does not return': {
    run: db => sql<{ id: string; owner: string }>`select id from projects`.execute(db),
    problem: 'owner is missing',
  },
  'a column that the statement returns by another name': {
    run: db => sql<{ createdAt: string }>`select created_at from projects`.execute(db),
    problem: 'createdAt is missing',
  },
  'a number that is a string': {
    run: db => sql<{ total: number }>`select count(*)::text as total from projects`.execute(db),
    problem: 'total is string, not number',
  },
  'a different type, even though no row is found': {
    run: db => sql<{ id: number }>`select id from projects where false`.execute(db),
    problem: 'id is string, not number',
  },
  'a null from an outer join': {
    run: db => sql<{ id: string }>`select f.id from (values (1)) v left join projects f on false`.execute(db),
    problem: 'id is null, not string',
  },
  'a nullable column, even though no value is null': {
    run: db =>
      sql<{ archivedAt: string }>`
      select archived_at as "archivedAt" from projects where archived_at < now()`.execute(db),
    problem: 'archivedAt is a column that can be null, not string',
  },
  'a string outside its union': {
    run: db => sql<{ mode: 'open' | 'closed' }>`select 'private' as mode`.execute(db),
    problem: "mode is 'private', which is none of its literals",
  },
  'an array of a different type': {
    run: db => sql<{ ids: number[] }>`select array['a'] as ids`.execute(db),
    problem: 'ids[] is string, not number',
  },
  'a field inside JSON': {
    run: db => sql<{ tags: { value: string }[] }>`select '[{"value": null}]'::jsonb as tags`.execute(db),
    problem: 'tags[].value is null, not string',
  },
  'a date that the driver parses': {
    run: db => sql<{ day: string }>`select current_date as day`.execute(db),
    problem: 'day is Date, not string',
  },
  'rows of type any': {
    // biome-ignore lint/suspicious/noExplicitAny: this is what the check must find
    run: db => sql<any>`select id from projects order by id`.execute(db),
    problem: 'its rows are of type any',
  },
  'a value that the builder selects': {
    run: db => db.selectFrom('projects').select(sql<number>`lower(id)`.as('id')).execute(),
    problem: 'the value is string, not number',
  },
};
