import type pg from 'pg';

/** An event search, which can be expressed as a URL or as SQL. */
export type Search = {
  query?: string;
  project?: string[];
  type?: string[];
  feature?: string[];
  createdBy?: number[];
  environment?: string[];
  groupId?: string[];
  from?: string;
  to?: string;
  offset?: number;
  limit?: number;
};

/** The user who searches. A viewer sees no events in hidden projects, and sees events without a project only if the viewer caused them. */
export type Caller = { name: string; token: string; visibility?: { userId: number; hidden: string[] } };

export type Result = { total: number; ids: number[] };

export function buildSearchPath({ query, from, to, offset, limit, ...lists }: Search): string {
  const parameters = new URLSearchParams();
  for (const [name, values] of Object.entries(lists)) {
    parameters.set(name, `${values.length === 1 ? 'IS' : 'IS_ANY_OF'}:${values.join()}`);
  }
  if (query !== undefined) parameters.set('query', query);
  if (from !== undefined) parameters.set('from', `IS:${from}`);
  if (to !== undefined) parameters.set('to', `IS:${to}`);
  if (offset !== undefined) parameters.set('offset', String(offset));
  if (limit !== undefined) parameters.set('limit', String(limit));
  return `/api/admin/search/events?${parameters}`;
}

const COLUMNS = {
  project: 'project',
  type: 'type',
  feature: 'feature_name',
  createdBy: 'created_by_user_id',
  environment: 'environment',
  groupId: 'group_id',
} as const;

const textCondition = (storedForm: string) =>
  `event_text(data, pre_data, tags, comment) ilike ${quoteLiteral(`%${storedForm.replace(/[\\%_]/g, '\\$&')}%`)}`;
const quoteLiteral = (value: string | number) =>
  typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`;

/**
 * Builds a condition on `events` in the plainest SQL. It shares no code with the server, so that the two do not share a bug.
 */
export function buildCondition(search: Search, visibility: Caller['visibility']): string {
  const conditions = ['true'];
  for (const [name, column] of Object.entries(COLUMNS)) {
    const values = search[name as keyof typeof COLUMNS];
    if (values) conditions.push(`${column} in (${values.map(quoteLiteral).join(', ')})`);
  }
  if (search.from) conditions.push(`created_at >= '${search.from}T00:00:00Z'`);
  if (search.to) conditions.push(`created_at < timestamptz '${search.to}T00:00:00Z' + interval '24 hours'`);
  if (search.query) conditions.push(`(${listStoredForms(search.query).map(textCondition).join(' or ')})`);
  if (visibility) {
    const projectCondition =
      visibility.hidden.length > 0
        ? `project not in (${visibility.hidden.map(quoteLiteral).join(', ')})`
        : 'project is not null';
    conditions.push(`(${projectCondition} or project is null and created_by_user_id = ${visibility.userId})`);
  }
  return conditions.join(' and ');
}

/** Returns a string as typed and as JSON escapes it, because `say "hello"` is stored as `say \"hello\"`. */
const listStoredForms = (text: string): string[] => [...new Set([text, JSON.stringify(text).slice(1, -1)])];

/** Reads the total and the page in one statement, so that both come from the same snapshot. */
export async function readPlain(
  client: pg.Client | pg.Pool,
  search: Search,
  condition: string,
): Promise<Result> {
  const { rows } = await client.query<{ total: string; ids: string[] }>(`
    with matching as materialized (select id from events where ${condition})
    select (select count(*) from matching) as total, array(
      select id from matching order by id desc limit ${search.limit ?? 50} offset ${search.offset ?? 0}) as ids`);
  return { total: Number(rows[0]?.total), ids: (rows[0]?.ids ?? []).map(Number) };
}

export async function readHttp(server: string, search: Search, caller: Caller): Promise<Result> {
  const response = await fetch(server + buildSearchPath(search), {
    headers: { authorization: caller.token },
  });
  const body = await response.text();
  if (response.status !== 200) throw new Error(`status ${response.status}: ${body.slice(0, 200)}`);
  const { total, events } = JSON.parse(body) as { total: number; events: { id: number }[] };
  return { total, ids: events.map(event => event.id) };
}

/** Describes the difference between two results, and returns undefined if they are equal. */
export function describeDifference(expected: Result, actual: Result): string | undefined {
  if (expected.total !== actual.total) return `total ${actual.total} instead of ${expected.total}`;
  if (expected.ids.join() === actual.ids.join()) return undefined;
  return `ids ${actual.ids.slice(0, 5).join()}… instead of ${expected.ids.slice(0, 5).join()}…`;
}
