import { NAME_RULE, URL_NAME } from '@halyard/plane/platform/http/schema.ts';
import { sql } from 'kysely';
import {
  optionalText,
  parseList,
  parseObject,
  parseTime,
  query,
  readBatches,
  readRows,
  type Source,
  toText,
} from '../source/source.ts';
import { type Context, computeDigest, type Item, type Kind, type Problem } from './kind.ts';

// Imports feature types, tag types, tags, context fields and strategy types.

/** An import changes only the lifetime of an existing type. */
type FeatureType = { id: string; lifetimeDays: number | null };

export const FEATURE_TYPES: Kind<FeatureType> = {
  name: 'feature types',
  isSeeded: () => true,
  async *read({ source }) {
    const columns = ['id', 'lifetime_days'];
    for await (const rows of readBatches(source, { table: 'feature_types', columns, orderBy: 'id' }))
      yield rows.map(row => {
        const id = toText(row.id);
        // 0 days means no lifetime in Unleash.
        const lifetimeDays = Number(row.lifetime_days) > 0 ? Number(row.lifetime_days) : null;
        return { key: id, state: { id, lifetimeDays } };
      });
  },
  rowsToLock: keys => sql`feature_types where id = any(${keys}) order by id`,
  async find(db, keys) {
    const { rows } = await sql<FeatureType>`
      select id, lifetime_days as "lifetimeDays" from feature_types where id = any(${keys})
      order by id`.execute(db);
    return new Map(rows.map(row => [row.id, row]));
  },
  async write(tx, items) {
    await sql`
      insert into feature_types (id, name, description, lifetime_days)
      select id, id, '', "lifetimeDays"
      from jsonb_to_recordset(${toJsonRows(items)}::jsonb) as given (id text, "lifetimeDays" integer)
      order by id
      on conflict (id) do update set lifetime_days = excluded.lifetime_days`.execute(tx);
  },
  event: (state, stateBefore) => ({
    type: 'feature-type-updated',
    data: state,
    preData: stateBefore ?? null,
  }),
};

/** Returns the types that flags can have: those in Unleash and those already in Halyard. */
export async function readFeatureTypes({ source, db, isRejected }: Context): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`select id from feature_types`.execute(db);
  const sourceRows = await readRows(source, { table: 'feature_types', columns: ['id'], orderBy: 'id' });
  const ids = sourceRows.map(row => toText(row.id)).filter(id => !isRejected('feature types', id));
  return new Set([...rows.map(({ id }) => id), ...ids]);
}

const MAX_TYPE_CHARACTERS = 50;

type TagType = { name: string; description: string | null; icon: string | null; color: string | null };

export const TAG_TYPES: Kind<TagType> = {
  name: 'tag types',
  isSeeded: key => key === 'simple',
  async *read({ source }) {
    const columns = ['name', 'description', 'icon', 'color', 'created_at'];
    for await (const rows of readBatches(source, { table: 'tag_types', columns, orderBy: 'name' }))
      yield rows.map(row => ({
        key: toText(row.name),
        createdAt: parseTime(row.created_at),
        problems: findNameProblems(toText(row.name), MAX_TYPE_CHARACTERS),
        state: {
          name: toText(row.name),
          description: optionalText(row.description),
          icon: optionalText(row.icon),
          color: optionalText(row.color),
        },
      }));
  },
  rowsToLock: keys => sql`tag_types where name = any(${keys}) order by name`,
  async find(db, keys) {
    const { rows } = await sql<TagType>`
      select name, description, icon, color from tag_types where name = any(${keys})
      order by name`.execute(db);
    return new Map(rows.map(row => [row.name, row]));
  },
  async write(tx, items) {
    await sql`
      insert into tag_types (name, description, icon, color, created_at)
      select name, description, icon, color, coalesce("createdAt", now())
      from jsonb_to_recordset(${toJsonRows(items)}::jsonb) as given (
        name text, description text, icon text, color text, "createdAt" timestamptz)
      order by name
      on conflict (name) do update
      set description = excluded.description, icon = excluded.icon, color = excluded.color`.execute(tx);
  },
  event: (state, stateBefore) => ({ type: 'tag-type-import', data: state, preData: stateBefore ?? null }),
};

type Tag = { type: string; value: string };

export const TAGS: Kind<Tag> = {
  name: 'tags',
  async *read({ source }) {
    const columns = ['type', 'value', 'created_at'];
    for await (const rows of readBatches(source, { table: 'tags', columns, orderBy: 'type, value' }))
      yield rows.map(row => {
        const state = { type: toText(row.type), value: toText(row.value) };
        return {
          key: tagKey(state),
          createdAt: parseTime(row.created_at),
          state,
          problems: isStorableTag(state) ? [] : [rejectedProblem('a tag must have 2 to 50 characters')],
        };
      });
  },
  async find(db, keys) {
    const { rows } = await sql<Tag>`
      select type, value from tags where type || ':' || value = any(${keys})
      order by type, value`.execute(db);
    return new Map(rows.map(row => [tagKey(row), row]));
  },
  async write(tx, items) {
    await sql`
      insert into tags (type, value, created_at)
      select type, value, coalesce("createdAt", now())
      from jsonb_to_recordset(${toJsonRows(items)}::jsonb) as given (type text, value text, "createdAt" timestamptz)
      order by type, value
      on conflict (type, value) do nothing`.execute(tx);
  },
  event: state => ({ type: 'tag-import', data: state }),
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
    const tableRead = { table: 'context_fields', columns: CONTEXT_COLUMNS, orderBy: 'name' };
    for await (const rows of readBatches(source, tableRead))
      yield rows.map(row => ({
        key: toText(row.name),
        createdAt: parseTime(row.created_at),
        problems: findNameProblems(toText(row.name)),
        state: {
          name: toText(row.name),
          description: optionalText(row.description),
          stickiness: row.stickiness === true,
          sortOrder: Number(row.sort_order ?? 10),
          legalValues: parseLegalValues(row.legal_values),
          project: optionalText(row.project),
        },
      }));
  },
  rowsToLock: keys => sql`context_fields where name = any(${keys}) order by name`,
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
      from jsonb_to_recordset(${toJsonRows(items)}::jsonb) as given (
        name text, description text, stickiness boolean, "sortOrder" integer, "legalValues" jsonb, project text,
        "createdAt" timestamptz)
      order by name
      on conflict (name) do update set description = excluded.description, stickiness = excluded.stickiness,
        sort_order = excluded.sort_order, legal_values = excluded.legal_values, project = excluded.project`.execute(
      tx,
    );
  },
  event: (state, stateBefore) => ({
    type: stateBefore === undefined ? 'context-field-created' : 'context-field-updated',
    project: state.project,
    data: state,
    preData: stateBefore ?? null,
  }),
};

/** Parses legal values, which older versions store as a comma-separated string. */
function parseLegalValues(value: unknown): LegalValue[] {
  const list = typeof value === 'string' && !value.startsWith('[') ? value.split(',') : parseList(value);
  return list.flatMap(item => {
    if (typeof item === 'string') return item.trim() === '' ? [] : [{ value: item.trim() }];
    const { value: text, description } = parseObject(item);
    if (typeof text !== 'string') return [];
    return [{ value: text, ...(typeof description === 'string' ? { description } : {}) }];
  });
}

/** Returns the legal values of every context field that lists them. */
export async function readLegalValues(source: Source): Promise<Map<string, string[]>> {
  const tableRead = { table: 'context_fields', columns: CONTEXT_COLUMNS, orderBy: 'name' };
  const rows = await readRows(source, tableRead);
  return new Map(
    rows.flatMap(row => {
      const values = parseLegalValues(row.legal_values).map(({ value }) => value);
      return values.length === 0 ? [] : [[toText(row.name), values]];
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
/**
 * The parameters of strategy types that SDKs evaluate and that newer versions of Unleash no longer list, although flags still use
 * them.
 */
const KNOWN_PARAMETERS: Record<string, Parameter[]> = {
  userWithId: [{ name: 'userIds', type: 'list', description: '', required: false }],
  gradualRolloutRandom: [percentage],
  gradualRolloutSessionId: [percentage, groupId],
  gradualRolloutUserId: [percentage, groupId],
};
/** Halyard's built-in types, which stay unchanged. */
const BUILT_IN_TYPES = ['default', 'flexibleRollout', 'remoteAddress', 'applicationHostname'];

export const STRATEGY_TYPES: Kind<StrategyType> = {
  name: 'strategy types',
  async *read({ source }) {
    const columns = ['name', 'display_name', 'description', 'parameters', 'deprecated', 'created_at'];
    const rows = await readRows(source, { table: 'strategies', columns, orderBy: 'name' });
    const listedTypes: Item<StrategyType>[] = rows.map(row => ({
      key: toText(row.name),
      createdAt: parseTime(row.created_at),
      state: {
        name: toText(row.name),
        displayName: optionalText(row.display_name),
        description: toText(row.description),
        parameters: parseList(row.parameters).map(parseParameter),
        deprecated: row.deprecated === true,
      },
    }));
    const names = new Set(listedTypes.map(({ key }) => key));
    const unlistedTypes = (await readUsedTypeNames(source))
      .filter(name => !names.has(name))
      .map(makeUnlistedType);
    yield [...listedTypes, ...unlistedTypes].filter(({ key }) => !BUILT_IN_TYPES.includes(key));
  },
  rowsToLock: keys => sql`strategies where name = any(${keys}) order by name`,
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
      from jsonb_to_recordset(${toJsonRows(items)}::jsonb) as given (
        name text, "displayName" text, description text, parameters jsonb, deprecated boolean, "createdAt" timestamptz)
      order by name
      on conflict (name) do update set display_name = excluded.display_name, description = excluded.description,
        parameters = excluded.parameters, deprecated = excluded.deprecated`.execute(tx);
  },
  event: (state, stateBefore) => ({ type: 'strategy-import', data: state, preData: stateBefore ?? null }),
};

function parseParameter(value: unknown): Parameter {
  const { name, type, description, required } = parseObject(value);
  return {
    name: toText(name),
    type: toText(type) || 'string',
    description: toText(description),
    required: required === true,
  };
}

async function readUsedTypeNames(source: Source): Promise<string[]> {
  const rows = await query<{ name: string }>(
    source,
    'select distinct strategy_name as name from feature_strategies order by name limit 1000',
  );
  return rows.map(({ name }) => name);
}

const makeUnlistedType = (name: string): Item<StrategyType> => ({
  key: name,
  state: {
    name,
    displayName: null,
    description: 'Imported from Unleash, where flags use it',
    parameters: KNOWN_PARAMETERS[name] ?? [],
    deprecated: true,
  },
});

/**
 * Returns whether Unleash has the strategy type. If the digest is that of `makeUnlistedType`, Unleash does not have the type, and the
 * import created it only because flags use it.
 */
export const isTypeInUnleash = (name: string, importedDigest?: string): boolean =>
  BUILT_IN_TYPES.includes(name) ||
  (importedDigest !== undefined && importedDigest !== computeDigest(makeUnlistedType(name).state));

const NAME_PATTERN = new RegExp(URL_NAME);

/** The limit for names in requests. */
const MAX_NAME_CHARACTERS = 100;
/** The longest name that Unleash stores. */
const MAX_STORED_CHARACTERS = 255;

/** Returns what validation would reject in a name that is part of URLs. */
export function findNameProblems(name: string, maxLength = MAX_NAME_CHARACTERS): Problem[] {
  if (name === '') return [rejectedProblem('it has no name; give it one in Unleash, or delete it there')];
  const problems: Problem[] = [];
  if (!NAME_PATTERN.test(name)) problems.push(acceptableProblem(`its name ${NAME_RULE}`));
  if (name.length > maxLength)
    problems.push(
      (name.length > MAX_STORED_CHARACTERS ? rejectedProblem : acceptableProblem)(
        `its name has ${name.length} characters; the maximum is ${maxLength}`,
      ),
    );
  return problems;
}

export const rejectedProblem = (message: string): Problem => ({ message, acceptable: false });
export const acceptableProblem = (message: string): Problem => ({ message, acceptable: true });

/** Returns the items' columns as JSON, for `jsonb_to_recordset`. */
export const toJsonRows = <State extends object>(items: Item<State>[]): string =>
  JSON.stringify(
    items.map(({ state, createdAt = null, id, details }) => ({
      ...state,
      ...details,
      createdAt,
      ...(id === undefined ? {} : { id }),
    })),
  );
