import { hashToken } from '@halyard/plane/platform/token.ts';
import { sql } from 'kysely';
import {
  optionalText,
  parseExpiry,
  parseTime,
  readBatches,
  readRows,
  type Source,
  type SourceRow,
  toText,
} from '../source/source.ts';
import type { Item, Kind, Problem } from './kind.ts';
import { acceptableProblem, rejectedProblem } from './vocabulary.ts';

// Imports API tokens by hash, so that every SDK keeps working with its secret.

type Token = {
  hash: string;
  hint: string;
  type: string;
  name: string;
  environment: string | null;
  /** An empty list means all projects. */
  projects: string[];
  expiresAt: string | null;
};

const ALL = '*';
/** Distinguishes a token whose projects were all deleted in Halyard from a token for all projects. */
const NO_PROJECT = [''];
const EMPTY_HASH = hashToken('').toString('hex');
const TYPES = ['admin', 'client', 'backend', 'frontend'];
const COLUMNS = [
  'secret',
  'username',
  'token_name',
  'type',
  'environment',
  'alias',
  'created_at',
  'expires_at',
];
const V2_COLUMNS = ['selector', 'verifier', 'token_name', 'type', 'environment', 'created_at', 'expires_at'];

export const API_TOKENS: Kind<Token> = {
  name: 'API tokens',
  async *read({ source, isRejected }) {
    for await (const rows of readBatches(source, {
      table: 'api_tokens',
      columns: COLUMNS,
      orderBy: 'secret',
    })) {
      const projects = await readProjectsByToken(source, 'api_token_project', 'secret', rows);
      yield rows.flatMap(row => toPlainTokenItems(row, projects.get(toText(row.secret)) ?? [], isRejected));
    }
    for await (const rows of readBatches(source, {
      table: 'api_tokens_v2',
      columns: V2_COLUMNS,
      orderBy: 'selector',
    })) {
      const projects = await readProjectsByToken(source, 'api_tokens_v2_project', 'selector', rows);
      yield rows.map(row => toHashedTokenItem(row, projects.get(toText(row.selector)) ?? [], isRejected));
    }
  },
  rowsToLock: keys =>
    sql`api_tokens where hash = any(${keys.map(key => Buffer.from(key, 'hex'))}::bytea[]) order by id`,
  async find(db, keys) {
    const { rows } = await sql<Token>`
      select encode(hash, 'hex') as hash, hint, type, name, environment, expires_at as "expiresAt",
        case when all_projects or type = 'admin' then '{}' when listed.projects = '{}' then ${NO_PROJECT} else listed.projects end as projects
      from api_tokens
      cross join lateral (select array(select project_id from api_token_projects where token_id = api_tokens.id
          order by project_id collate "C") as projects) as listed
      where revoked_at is null and hash = any(${keys.map(key => Buffer.from(key, 'hex'))}::bytea[])
      order by id`.execute(db);
    return new Map(rows.map(row => [row.hash, row]));
  },
  async write(tx, items) {
    const rows = JSON.stringify(
      items.map(({ state, createdAt }) => ({ ...state, createdAt: createdAt ?? null })),
    );
    await sql`
      insert into api_tokens (hash, hint, type, name, environment, all_projects, created_at, expires_at)
      select decode(hash, 'hex'), hint, type, name, environment, projects = '{}', coalesce("createdAt", now()), "expiresAt"
      from jsonb_to_recordset(${rows}::jsonb) as given (
        hash text, hint text, type text, name text, environment text, projects text[], "createdAt" timestamptz,
        "expiresAt" timestamptz)
      order by hash
      on conflict (hash) do update set hint = excluded.hint, type = excluded.type, name = excluded.name,
        environment = excluded.environment, all_projects = excluded.all_projects, expires_at = excluded.expires_at`.execute(
      tx,
    );
    await sql`
      delete from api_token_projects using api_tokens,
        jsonb_to_recordset(${rows}::jsonb) as given (hash text, projects text[])
      where token_id = api_tokens.id and api_tokens.hash = decode(given.hash, 'hex')
        and project_id <> all(given.projects)`.execute(tx);
    await sql`
      insert into api_token_projects (token_id, project_id)
      select api_tokens.id, unnest(given.projects)
      from jsonb_to_recordset(${rows}::jsonb) as given (hash text, projects text[])
      join api_tokens on api_tokens.hash = decode(given.hash, 'hex')
      on conflict do nothing`.execute(tx);
  },
  event: (state, stateBefore) => ({
    type: stateBefore === undefined ? 'api-token-created' : 'api-token-updated',
    ...getEventScope(state),
    data: eventData(state),
    preData: stateBefore === undefined ? null : eventData(stateBefore),
  }),
  remove: {
    async write(tx, keys) {
      await sql`
        update api_tokens set revoked_at = now()
        where hash = any(${keys.map(key => Buffer.from(key, 'hex'))}::bytea[])`.execute(tx);
    },
    event: stateBefore => ({
      type: 'api-token-deleted',
      ...getEventScope(stateBefore),
      preData: eventData(stateBefore),
    }),
  },
};

/** Returns the token itself, and a second token if it has an alias, which is a separate secret. */
function toPlainTokenItems(row: SourceRow, projects: string[], isRejected: IsRejected): Item<Token>[] {
  const secret = toText(row.secret);
  const alias = toText(row.alias);
  const name = toText(row.token_name) || toText(row.username);
  const hasLostProjects =
    projects.length === 0 && row.type !== 'admin' && !secret.startsWith(`${ALL}:`) && secret.includes(':');
  const token = (hash: Buffer, hint: string, tokenName: string) =>
    toTokenItem(
      row,
      { hash: hash.toString('hex'), hint, name: tokenName },
      projects,
      hasLostProjects,
      isRejected,
    );
  return [
    token(hashToken(secret), buildHint(secret, toText(row.environment)), name),
    ...(alias === '' ? [] : [token(hashToken(alias), buildHint(alias, ''), `${name} (alias)`)]),
  ];
}

/** The last four characters of a shorter secret would give too much away. */
const MIN_SECRET_LENGTH = 16;

/**
 * Returns the parts of a secret that may be shown: the last four characters and, in Unleash's format, the scope. Unleash tokens begin
 * with the project and the environment, but anything else before a dot may be part of the secret.
 */
function buildHint(secret: string, environment: string): string {
  if (secret.length < MIN_SECRET_LENGTH) return '…';
  const scope = `${secret.slice(0, secret.indexOf(':') + 1)}${environment || ALL}.`;
  return `${secret.startsWith(scope) ? scope : ''}…${secret.slice(-4)}`;
}

/**
 * Returns a token that Unleash stores only as a hash. Halyard stores the same hash: the SHA-256 of the whole token, which Unleash
 * encodes as base64url.
 */
function toHashedTokenItem(row: SourceRow, projects: string[], isRejected: IsRejected): Item<Token> {
  const hash = Buffer.from(toText(row.verifier), 'base64url').toString('hex');
  const prefix = projects.length === 0 ? ALL : projects.length === 1 ? projects[0] : '[]';
  const hint = `${prefix}:${toText(row.environment) || ALL}.v2_…${toText(row.selector).slice(-4)}`;
  return toTokenItem(row, { hash, hint, name: toText(row.token_name) }, projects, false, isRejected);
}

type IsRejected = (kind: string, key: string) => boolean;

function toTokenItem(
  row: SourceRow,
  { hash, hint, name }: Pick<Token, 'hash' | 'hint' | 'name'>,
  projects: string[],
  hasLostProjects: boolean,
  isRejected: IsRejected,
): Item<Token> {
  const type = toText(row.type).toLowerCase();
  const sourceEnvironment = optionalText(row.environment);
  const expiresAt = parseExpiry(row.expires_at);
  const environment = type === 'admin' || sourceEnvironment === ALL ? null : sourceEnvironment;
  const problems: Problem[] = [];
  if (!TYPES.includes(type)) problems.push(rejectedProblem(`the type "${type}" does not exist in Halyard`));
  if (type !== 'admin' && environment === null)
    problems.push(rejectedProblem('an SDK token must be for one environment; this one is for all'));
  if (hash === EMPTY_HASH) problems.push(rejectedProblem('its secret is empty'));
  if (expiresAt === undefined) problems.push(rejectedProblem(`its expiry "${row.expires_at}" is not a time`));
  if (hash.length !== 64) problems.push(rejectedProblem('its hash is not a SHA-256 hash'));
  if (environment !== null && isRejected('environments', environment))
    problems.push(rejectedProblem(`its environment "${environment}" was not imported`));
  if (hasLostProjects)
    problems.push(
      acceptableProblem('its projects were deleted, and Unleash treats it as a token for all projects'),
    );
  return {
    key: hash,
    label: `${name} (${hint})`,
    createdAt: parseTime(row.created_at),
    state: {
      hash,
      hint,
      type,
      name,
      environment,
      projects: projects.includes(ALL) || type === 'admin' ? [] : projects.toSorted(),
      expiresAt: expiresAt ?? null,
    },
    problems,
  };
}

async function readProjectsByToken(
  source: Source,
  table: string,
  column: string,
  rows: SourceRow[],
): Promise<Map<string, string[]>> {
  const projectRows = await readRows(source, {
    table,
    columns: [column, 'project'],
    orderBy: 'project',
    where: { sql: `${column} = any($1)`, values: [rows.map(row => toText(row[column]))] },
  });
  const projects = new Map<string, string[]>();
  for (const row of projectRows) {
    const key = toText(row[column]);
    projects.set(key, [...(projects.get(key) ?? []), toText(row.project)]);
  }
  return projects;
}

const getEventScope = ({ projects, environment }: Token) => ({
  project: projects.length === 1 ? (projects[0] ?? null) : null,
  environment,
});

/** Omits the hash, because it is derived from the secret. */
const eventData = ({ type, name, environment, projects, expiresAt }: Token): object => ({
  tokenName: name,
  type,
  environment,
  projects: projects.length === 0 ? [ALL] : projects,
  expiresAt,
});
