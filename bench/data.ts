import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { EVENT_TYPE_NAMES } from '../server/src/record/events/event-types.ts';
import { keepOrFill, stepper, withClient } from './database.ts';

const EVENTS_MIGRATION = new URL('../server/migrations/0005_events.sql', import.meta.url);
const BATCH = 50_000;

export const PROJECTS = 300;
/** A tenth of all events, all in the first year: what is common on the whole need not be found among the newest. */
export const SILENT_PROJECT = PROJECTS + 1;
const FEATURES = 20_000;
const USERS = 500;
/** Flag events first: they are what a real log mostly holds. */
export const TYPES = [
  ...EVENT_TYPE_NAMES.filter(name => name.startsWith('feature-')),
  ...EVENT_TYPE_NAMES.filter(name => !name.startsWith('feature-')),
].slice(0, 100);

/** Made-up words, so that a search for text finds what was put there and nothing by chance. */
export const WORDS = ['ba', 'co', 'du', 'fe', 'gi', 'ho', 'la', 'mi', 'no', 'pu'].flatMap(first =>
  ['bra', 'clo', 'dri', 'fle', 'gru', 'pla', 'ske', 'sto'].flatMap(second =>
    ['ben', 'dor', 'lin', 'mak', 'tus'].map(third => first + second + third),
  ),
);

export const WORD_ARRAY = `${pg.escapeLiteral(`{${WORDS.join(',')}}`)}::text[]`;
const PHRASES = 20_000;

// From 0 to 1, the same for the same event in every run. Inline: as SQL functions these made the load 11 times slower.
export const draw = (n: string, salt: number) =>
  `((hashint8extended(${n}, ${salt}) & 9007199254740991) / 9007199254740992.0::float8)`;
/** From 1 to size, the smaller the more often (Zipf 1.0): of 300 the first has 12 %, of 500 the first 11 %. */
export const rank = (n: string, salt: number, size: number | string) =>
  `floor(exp(${draw(n, salt)} * ln(${size} + 1)))::integer`;
export const oneOf = (n: string, salt: number, size: number) => `floor(${draw(n, salt)} * ${size})::integer`;

const SETTING = `
  set jit = off;
  set maintenance_work_mem = '512MB';
  insert into users (name, username) select 'User ' || n, 'user-' || n from generate_series(1, ${USERS}) as n;
  insert into projects (id, name)
    select 'project-' || n, 'Project ' || n from generate_series(1, ${SILENT_PROJECT}) as n;
  create temporary table phrases as
    select phrase, string_agg(word, ' ' order by i) filter (where i <= 8) as text,
      jsonb_agg(word order by i) filter (where i > 8) as list
    from generate_series(0, ${PHRASES - 1}) as phrase, generate_series(1, 14) as i,
      lateral (select (${WORD_ARRAY})[1 + ${oneOf('phrase * 100::bigint + i', 6, WORDS.length)}]) as draw (word)
    group by phrase;
  analyze phrases;`;

const payload = (phrase: string, salt: number) => `
  jsonb_build_object(
    'id', md5(n || ' ' || ${salt})::uuid, 'name', name, 'strategyName', 'flexibleRollout',
    'description', ${phrase}.text || case when n % 50000 = 7 then ' needle-quasar' else '' end,
    'parameters', jsonb_build_object(
      'rollout', ${oneOf('n', salt, 100)}::text, 'stickiness', 'default', 'groupId', name),
    'constraints', jsonb_build_array(jsonb_build_object(
      'contextName', 'appVersion', 'operator', 'IN', 'inverted', false, 'caseInsensitive', false,
      'values', ${phrase}.list)),
    'segments', jsonb_build_array(n % 40), 'disabled', false, 'sortOrder', n % 10)`;

const FILL = `
  insert into events (created_at, group_id, type, created_by, created_by_user_id, ip,
    project, environment, feature_name, data, pre_data, tags)
  select timestamptz '2023-11-01T00:00:00Z' + interval '1096 days' * (n::float8 / $3::bigint),
    md5('group ' || n / 2)::uuid::text, ($4::text[])[type], 'user-' || creator, creator, '192.0.2.' || n % 250,
    'project-' || project,
    case when in_environment then (array['production', 'development', 'staging'])[1 + n % 3] end,
    case when has_feature then name end,
    ${payload('after', 7)}, case when n % 100 < 45 then ${payload('before', 8)} end,
    case when n % 20 = 0 then '[{"type": "simple", "value": "checkout"}]'::jsonb else '[]' end
  from (
    select drawn.*, 'project-' || coalesce(project, 0) || '-feature-' ||
      ${rank('n', 5, `greatest(5, ${FEATURES} / (6.28 * coalesce(project, ${PROJECTS})))`)} as name
    from (
      select n, ${rank('n', 1, TYPES.length)} as type, ${rank('n', 2, USERS)} as creator,
        case when n * 3 < $3::bigint and ${draw('n', 11)} < 0.3 then ${SILENT_PROJECT}
          when n % 10 < 9 then ${rank('n', 3, PROJECTS)} end as project,
        ${draw('n', 4)} < 0.5 as in_environment, n % 10 < 8 as has_feature,
        ${oneOf('n', 9, PHRASES)} as phrase_after, ${oneOf('n', 10, PHRASES)} as phrase_before
      from generate_series($1::bigint, $2::bigint) as n
    ) as drawn
  ) as told
  join phrases as after on after.phrase = phrase_after
  join phrases as before on before.phrase = phrase_before
  order by n`;

const CREATORS = `
  insert into event_creators (user_id, project) select distinct created_by_user_id, project from events`;

/** A database of that many events, migrated, filled, analyzed; one that is there from an earlier run is kept. */
export async function prepareDatabase(url: URL, events: number, fresh: boolean): Promise<void> {
  const marker = `${events} events, made by ${await fingerprint()}`;
  await keepOrFill(url, marker, fresh, () => fill(url, events));
}

async function fill(url: URL, events: number): Promise<void> {
  await withClient(url, async client => {
    const step = stepper(client);
    await step('setting', SETTING);
    // The trigram index takes most of the time of a load; built at the end it takes a fraction of that.
    await client.query('drop index events_text_idx');
    for (let first = 1; first <= events; first += BATCH) {
      const last = Math.min(first + BATCH - 1, events);
      await step(`events to ${last}`, FILL, [first, last, events, TYPES]);
    }
    await step('creators', CREATORS);
    await step('text index', await textIndex());
    await step('vacuum analyze', 'vacuum analyze');
  });
}

async function textIndex(): Promise<string> {
  const migration = await readFile(EVENTS_MIGRATION, 'utf8');
  const statement = /^create index events_text_idx[^;]+;/m.exec(migration)?.[0];
  if (statement === undefined) throw new Error('0005_events.sql creates no index events_text_idx');
  return statement;
}

/** Changes with what the events look like. Later migrations are applied to a database that is kept. */
async function fingerprint(): Promise<string> {
  const hash = createHash('sha256').update(SETTING + FILL + CREATORS + TYPES.join());
  hash.update(await readFile(EVENTS_MIGRATION));
  return hash.digest('hex').slice(0, 16);
}
