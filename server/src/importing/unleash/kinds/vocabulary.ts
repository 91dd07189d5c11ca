import { sql } from 'kysely';
import { NAME_RULE, URL_NAME } from '../../../../../plane/src/platform/http/schema.ts';
import {
  listOf,
  objectOf,
  optionalText,
  query,
  readBatches,
  readRows,
  type Source,
  textOf,
  timeOf,
} from '../source/source.ts';
import type { Item, Kind, Problem } from './kind.ts';

// Feature types, tag types, tags, context fields and strategy types.

/** Types keep Halyard's names and descriptions. */
type FeatureType = { id: string; lifetimeDays: number | null };

export const FEATURE_TYPES: Kind<FeatureType> = {
  name: 'feature types',
  isSeeded: () => true,
  async *read({ source }) {
    const columns = ['id', 'lifetime_days'];
    for await (const rows of readBatches(source, { table: 'feature_types', columns, orderBy: 'id' }))
      yield rows.map(row => {
        const id = textOf(row.id);
        // 0 days means no lifetime in Unleash.
        const lifetimeDays = Number(row.lifetime_days) > 0 ? Number(row.lifetime_days) : null;
        return { key: id, state: { id, lifetimeDays } };
      });
  },
  rows: keys => sql`feature_types where id = any(${keys}) order by id`,
  async find(db, keys) {
    const { rows } = await sql<FeatureType>`
      select id, lifetime_days as "lifetimeDays" from feature_types where id = any(${keys}) order by id`.execute(
      db,
    );
    return new Map(rows.map(row => [row.id, row]));
  },
  async write(tx, items) {
    await sql`
      insert into feature_types (id, name, description, lifetime_days)
      select id, id, '', "lifetimeDays"
      from jsonb_to_recordset(${rowsOf(items)}::jsonb) as given (id text, "lifetimeDays" integer)
      order by id
      on conflict (id) do update set lifetime_days = excluded.lifetime_days`.execute(tx);
  },
  event: (after, before) => ({ type: 'feature-type-updated', data: after, preData: before ?? null }),
};

const MAX_TYPE_CHARACTERS = 50;

type TagType = { name: string; description: string | null; icon: string | null; color: string | null };

export const TAG_TYPES: Kind<TagType> = {
  name: 'tag types',
  isSeeded: key => key === 'simple',
  async *read({ source }) {
    const columns = ['name', 'description', 'icon', 'color', 'created_at'];
    for await (const rows of readBatches(source, { table: 'tag_types', columns, orderBy: 'name' }))
      yield rows.map(row => ({
        key: textOf(row.name),
        createdAt: timeOf(row.created_at),
        problems: nameProblems(textOf(row.name), MAX_TYPE_CHARACTERS),
        state: {
          name: textOf(row.name),
          description: optionalText(row.description),
          icon: optionalText(row.icon),
          color: optionalText(row.color),
        },
      }));
  },
  rows: keys => sql`tag_types where name = any(${keys}) order by name`,
  async find(db, keys) {
    const { rows } = await sql<TagType>`
      select name, description, icon, color from tag_types where name = any(${keys}) order by name`.execute(
      db,
    );
    return new Map(rows.map(row => [row.name, row]));
  },
  async write(tx, items) {
    await sql`
      insert into tag_types (name, description, icon, color, created_at)
      select name, description, icon, color, coalesce("createdAt", now())
      from jsonb_to_recordset(${rowsOf(items)}::jsonb) as given (
        name text, description text, icon text, color text, "createdAt" timestamptz)
      order by name
      on conflict (name) do update set description = excluded.description, icon = excluded.icon, color = excluded.color`.execute(
      tx,
    );
  },
  event: (after, before) => ({ type: 'tag-type-import', data: after, preData: before ?? null }),
};

type Tag = { type: string; value: string };

export const TAGS: Kind<Tag> = {
  name: 'tags',
  async *read({ source }) {
    const columns = ['type', 'value', 'created_at'];
    for await (const rows of readBatches(source, { table: 'tags', columns, orderBy: 'type, value' }))
      yield rows.map(row => {
        const state = { type: textOf(row.type), value: textOf(row.value) };
        return {
          key: tagKey(state),
          createdAt: timeOf(row.created_at),
          state,
          problems: isStorableTag(state) ? [] : [rejected('a tag must have 2 to 50 characters')],
        };
      });
  },
  async find(db, keys) {
    const { rows } = await sql<Tag>`
      select type, value from tags where type || ':' || value = any(${keys}) order by type, value`.execute(
      db,
    );
    return new Map(rows.map(row => [tagKey(row), row]));
  },
  async write(tx, items) {
    await sql`
      insert into tags (type, value, created_at)
      select type, value, coalesce("createdAt", now())
      from jsonb_to_recordset(${rowsOf(items)}::jsonb) as given (type text, value text, "createdAt" timestamptz)
      order by type, value
      on conflict (type, value) do nothing`.execute(tx);
  },
  event: after => ({ type: 'tag-import', data: after }),
};

export const tagKey = ({ type, value }: Tag): string => `${type}:${value}`;
export const isStorableTag = ({ value }: Tag): boolean => {
  const { length } = [...value];
  return length >= 2 && length <= 50;
};

type LegalValue = { value: string; description?: string };
type ContextField = {
  name: string;
  description: string | null;
  stickiness: boolean;
  sortOrder: number;
  legalValues: LegalValue[];
  project: string | null;
};

const CONTEXT_COLUMNS = [
  'name',
  'description',
  'stickiness',
  'sort_order',
  'legal_values',
  'project',
  'created_at',
];
const SEEDED_FIELDS = ['environment', 'userId', 'appName', 'currentTime', 'sessionId', 'remoteAddress'];

export const CONTEXT_FIELDS: Kind<ContextField> = {
  name: 'context fields',
  isSeeded: key => SEEDED_FIELDS.includes(key),
  async *read({ source }) {
    const reading = { table: 'context_fields', columns: CONTEXT_COLUMNS, orderBy: 'name' };
    for await (const rows of readBatches(source, reading))
      yield rows.map(row => ({
        key: textOf(row.name),
        createdAt: timeOf(row.created_at),
        problems: nameProblems(textOf(row.name)),
        state: {
          name: textOf(row.name),
          description: optionalText(row.description),
          stickiness: row.stickiness === true,
          sortOrder: Number(row.sort_order ?? 10),
          legalValues: legalValuesOf(row.legal_values),
          project: optionalText(row.project),
        },
      }));
  },
  rows: keys => sql`context_fields where name = any(${keys}) order by name`,
  async find(db, keys) {
    const { rows } = await sql<ContextField>`
      select name, description, stickiness, sort_order as "sortOrder", legal_values as "legalValues", project
      from context_fields where name = any(${keys}) order by name`.execute(db);
    return new Map(rows.map(row => [row.name, row]));
  },
  async write(tx, items) {
    await sql`
      insert into context_fields (name, description, stickiness, sort_order, legal_values, project, created_at)
      select name, description, stickiness, "sortOrder", "legalValues", project, coalesce("createdAt", now())
      from jsonb_to_recordset(${rowsOf(items)}::jsonb) as given (
        name text, description text, stickiness boolean, "sortOrder" integer, "legalValues" jsonb, project text,
        "createdAt" timestamptz)
      order by name
      on conflict (name) do update set description = excluded.description, stickiness = excluded.stickiness,
        sort_order = excluded.sort_order, legal_values = excluded.legal_values, project = excluded.project`.execute(
      tx,
    );
  },
  event: (after, before) => ({
    type: before === undefined ? 'context-field-created' : 'context-field-updated',
    project: after.project,
    data: after,
    preData: before ?? null,
  }),
};

/** Older versions store a string with commas. */
function legalValuesOf(value: unknown): LegalValue[] {
  const list = typeof value === 'string' && !value.startsWith('[') ? value.split(',') : listOf(value);
  return list.flatMap(one => {
    if (typeof one === 'string') return one.trim() === '' ? [] : [{ value: one.trim() }];
    const { value: text, description } = objectOf(one);
    if (typeof text !== 'string') return [];
    return [{ value: text, ...(typeof description === 'string' ? { description } : {}) }];
  });
}

/** The legal values of every context field that lists them. */
export async function legalValuesByField(source: Source): Promise<Map<string, string[]>> {
  const reading = { table: 'context_fields', columns: CONTEXT_COLUMNS, orderBy: 'name' };
  const rows = await readRows(source, reading);
  return new Map(
    rows.flatMap(row => {
      const values = legalValuesOf(row.legal_values).map(({ value }) => value);
      return values.length === 0 ? [] : [[textOf(row.name), values]];
    }),
  );
}

type Parameter = { name: string; type: string; description: string; required: boolean };
type StrategyType = {
  name: string;
  displayName: string | null;
  description: string;
  parameters: Parameter[];
  deprecated: boolean;
};

const percentage = { name: 'percentage', type: 'percentage', description: '', required: false };
const groupId = { name: 'groupId', type: 'string', description: '', required: false };
/** Types that SDKs evaluate and that newer versions of Unleash no longer list, although flags still use them. */
const KNOWN_PARAMETERS: Record<string, Parameter[]> = {
  userWithId: [{ name: 'userIds', type: 'list', description: '', required: false }],
  gradualRolloutRandom: [percentage],
  gradualRolloutSessionId: [percentage, groupId],
  gradualRolloutUserId: [percentage, groupId],
};
/** Halyard's built-in types, which stay unchanged. */
const BUILT_IN = ['default', 'flexibleRollout', 'remoteAddress', 'applicationHostname'];

export const STRATEGY_TYPES: Kind<StrategyType> = {
  name: 'strategy types',
  async *read({ source }) {
    const columns = ['name', 'display_name', 'description', 'parameters', 'deprecated', 'created_at'];
    const rows = await readRows(source, { table: 'strategies', columns, orderBy: 'name' });
    const listed: Item<StrategyType>[] = rows.map(row => ({
      key: textOf(row.name),
      createdAt: timeOf(row.created_at),
      state: {
        name: textOf(row.name),
        displayName: optionalText(row.display_name),
        description: textOf(row.description),
        parameters: listOf(row.parameters).map(parameterOf),
        deprecated: row.deprecated === true,
      },
    }));
    const names = new Set(listed.map(({ key }) => key));
    const unlisted = (await namesInUse(source)).filter(name => !names.has(name)).map(unlistedType);
    yield [...listed, ...unlisted].filter(({ key }) => !BUILT_IN.includes(key));
  },
  rows: keys => sql`strategies where name = any(${keys}) order by name`,
  async find(db, keys) {
    const { rows } = await sql<StrategyType>`
      select name, display_name as "displayName", description, parameters, deprecated
      from strategies where name = any(${keys}) order by name`.execute(db);
    return new Map(rows.map(row => [row.name, row]));
  },
  async write(tx, items) {
    await sql`
      insert into strategies (name, display_name, description, parameters, deprecated, created_at)
      select name, "displayName", description, parameters, deprecated, coalesce("createdAt", now())
      from jsonb_to_recordset(${rowsOf(items)}::jsonb) as given (
        name text, "displayName" text, description text, parameters jsonb, deprecated boolean, "createdAt" timestamptz)
      order by name
      on conflict (name) do update set display_name = excluded.display_name, description = excluded.description,
        parameters = excluded.parameters, deprecated = excluded.deprecated`.execute(tx);
  },
  event: (after, before) => ({ type: 'strategy-import', data: after, preData: before ?? null }),
};

function parameterOf(value: unknown): Parameter {
  const { name, type, description, required } = objectOf(value);
  return {
    name: textOf(name),
    type: textOf(type) || 'string',
    description: textOf(description),
    required: required === true,
  };
}

async function namesInUse(source: Source): Promise<string[]> {
  const rows = await query<{ name: string }>(
    source,
    'select distinct strategy_name as name from feature_strategies order by name limit 1000',
  );
  return rows.map(({ name }) => name);
}

const unlistedType = (name: string): Item<StrategyType> => ({
  key: name,
  state: {
    name,
    displayName: null,
    description: 'Imported from Unleash, where flags use it',
    parameters: KNOWN_PARAMETERS[name] ?? [],
    deprecated: true,
  },
});

const NAME = new RegExp(URL_NAME);

/** The same as in requests. */
const MAX_NAME_CHARACTERS = 100;
/** The longest name that Unleash stores. */
const MAX_STORED_CHARACTERS = 255;

/** What validation rejects about a name that is part of URLs. */
export function nameProblems(name: string, longest = MAX_NAME_CHARACTERS): Problem[] {
  if (name === '') return [rejected('it has no name')];
  const problems: Problem[] = [];
  if (!NAME.test(name)) problems.push(acceptable(`its name ${NAME_RULE}`));
  if (name.length > longest)
    problems.push(
      (name.length > MAX_STORED_CHARACTERS ? rejected : acceptable)(
        `its name has ${name.length} characters; the maximum is ${longest}`,
      ),
    );
  return problems;
}

export const rejected = (message: string): Problem => ({ message, acceptable: false });
export const acceptable = (message: string): Problem => ({ message, acceptable: true });

/** The items' columns as JSON, for `jsonb_to_recordset`. */
export const rowsOf = <State extends object>(items: Item<State>[]): string =>
  JSON.stringify(
    items.map(({ state, createdAt = null, id, details }) => ({
      ...state,
      ...details,
      createdAt,
      ...(id === undefined ? {} : { id }),
    })),
  );
