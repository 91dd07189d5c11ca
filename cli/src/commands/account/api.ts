import { command } from '../../command.ts';
import type { Context } from '../../context.ts';
import { wrongUse } from '../../errors.ts';
import { escaped } from '../../output.ts';
import { accepted, bodyOf, DryRun, type Method } from '../../requests.ts';

const METHODS: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const PAGE_SIZE = 500;
/** As much as fits into the memory of a small machine. The stream of `events export` has no limit. */
const MAX_ITEMS = 100_000;
const MAX_BODY = 8 * 1024 * 1024;

export const api = command({
  name: 'api',
  brief: 'Send a request to the API',
  description:
    'Use it for operations that have no command. Your server lists the operations at /docs/. The request carries your token, and if it changes something, an Idempotency-Key. With --paginate, the command reads all pages of a list and prints its items, one per line.',
  args: {
    method: { brief: 'GET, POST, PUT, PATCH or DELETE' },
    path: { brief: 'Path with its query: /api/admin/projects' },
  },
  options: {
    data: {
      type: 'string',
      value: 'json',
      short: 'd',
      brief: 'Body as JSON; @file reads a file, and @- standard input',
    },
    paginate: { type: 'flag', brief: 'Read all pages, and print one item per line' },
  },
  writes: 'change',
  calls: [],
  output: {},
  examples: [
    { does: 'List the flag types', run: 'api GET /api/admin/feature-types' },
    { does: 'All flags, one per line', run: 'api GET /api/admin/search/features --paginate' },
    {
      does: 'Create a tag type',
      run: `api POST /api/admin/tag-types -d '{"name":"team"}' -m 'Teams own flags'`,
    },
  ],
  run: (context, { method: given, path }, { data, paginate }) => {
    const method = given.toUpperCase();
    if (!METHODS.includes(method))
      throw wrongUse(`${JSON.stringify(given)} is not a method. Use ${METHODS.join(', ')}.`);
    // Only the profile's server may get the token.
    if (!path.startsWith('/') || path.startsWith('//'))
      throw wrongUse(`${JSON.stringify(path)} is not a path. It begins with one slash: /api/admin/projects`);
    if (paginate && method !== 'GET') throw wrongUse('Only GET requests have pages. Remove --paginate.');
    if (paginate) return pages(context, path);
    return sendOne(context, method as Method, path, data);
  },
  text: result => escaped(JSON.stringify(result ?? null, null, 2)),
});

async function sendOne(
  context: Context,
  method: Method,
  path: string,
  text: string | undefined,
): Promise<unknown> {
  const body = text === undefined ? undefined : await readBody(context, text);
  const { comment, dryRun } = context.given;
  if (dryRun && method !== 'GET')
    throw new DryRun({
      method,
      path,
      ...(body !== undefined && { body }),
      ...(comment !== undefined && { comment }),
    });
  const headers = comment === undefined ? {} : { 'Halyard-Comment': encodeURIComponent(comment) };
  const response = await accepted(
    await context.send(method, path, { body, headers }),
    context.connection().server,
  );
  const ignored = response.headers.get('Halyard-Ignored');
  if (ignored) context.note(`The server ignored unknown names: ${ignored}`);
  const hint = response.headers.get('Halyard-Hint');
  if (hint) context.note(hint);
  return await bodyOf(response);
}

async function readBody({ stdin }: Context, text: string): Promise<unknown> {
  const { readFile } = await import('node:fs/promises');
  const source =
    text === '@-'
      ? await allOf(stdin)
      : text.startsWith('@')
        ? await readFile(text.slice(1), 'utf8').catch(cannotRead)
        : text;
  try {
    return JSON.parse(source);
  } catch (error) {
    throw wrongUse(`The body is not valid JSON: ${(error as Error).message}.`);
  }
}

const cannotRead = (error: Error): never => {
  throw wrongUse(`Cannot read the body: ${error.message}`);
};

async function allOf(stdin: NodeJS.ReadStream): Promise<string> {
  let text = '';
  stdin.setEncoding('utf8');
  for await (const chunk of stdin) {
    text += chunk;
    if (text.length > MAX_BODY) throw wrongUse('The body is larger than 8 MiB, which no operation accepts.');
  }
  return text;
}

/** The items of a list, which is the only array in the body. Lists of events and deliveries are paged by id, others by offset. */
async function* pages(context: Context, path: string): AsyncGenerator<unknown> {
  const { server } = context.connection();
  let cursor: Record<string, string> = {};
  for (let items = 0; items < MAX_ITEMS; ) {
    const url = new URL(path, 'http://server');
    if (!url.searchParams.has('limit')) url.searchParams.set('limit', String(PAGE_SIZE));
    for (const [name, value] of Object.entries(cursor)) url.searchParams.set(name, value);
    const response = await accepted(await context.send('GET', url.pathname + url.search), server);
    const body = await bodyOf(response);
    const page = itemsOf(body);
    if (page === undefined)
      throw wrongUse(`The response from ${url.pathname} is not a list.`, 'Remove --paginate.');
    yield* page;
    items += page.length;
    const { total, next } = body as { total?: number; next?: number };
    const size = Number(url.searchParams.get('limit'));
    if (page.length < size || page.length === 0 || (next === undefined && total === undefined)) return;
    if (next === undefined && items >= (total ?? 0)) return;
    cursor = next === undefined ? { offset: String(items) } : { before: String(next) };
  }
  context.note(`Stopped after ${MAX_ITEMS.toLocaleString('en')} items.`);
}

function itemsOf(body: unknown): unknown[] | undefined {
  if (Array.isArray(body)) return body;
  if (typeof body !== 'object' || body === null) return undefined;
  const lists = Object.values(body).filter(value => Array.isArray(value));
  return lists.length === 1 ? lists[0] : undefined;
}
