import { command } from '../../command.ts';
import type { Context } from '../../context.ts';
import { usageError } from '../../errors.ts';
import { escapeControlCharacters } from '../../output.ts';
import { DryRun, type Method, readResponseBody, requireSuccess } from '../../requests.ts';

const METHODS: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const PAGE_SIZE = 500;
/** The items of a list must fit into a small machine's memory. The `events export` stream has no limit. */
const MAX_ITEMS = 100_000;
const MAX_BODY_LENGTH = 8 * 1024 * 1024;

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
  run: (context, { method: methodArgument, path }, { data, paginate }) => {
    const method = methodArgument.toUpperCase();
    if (!METHODS.includes(method))
      throw usageError(`${JSON.stringify(methodArgument)} is not an HTTP method. Use ${METHODS.join(', ')}.`);
    // Rejects complete URLs, because only the profile's server may get the token.
    if (!path.startsWith('/') || path.startsWith('//'))
      throw usageError(
        `${JSON.stringify(path)} is not a path. A path begins with one slash: /api/admin/projects`,
      );
    if (paginate && method !== 'GET') throw usageError('Only GET requests have pages. Remove --paginate.');
    if (paginate) return readPages(context, path);
    return sendRequest(context, method as Method, path, data);
  },
  text: result => escapeControlCharacters(JSON.stringify(result ?? null, null, 2)),
});

async function sendRequest(
  context: Context,
  method: Method,
  path: string,
  text: string | undefined,
): Promise<unknown> {
  const body = text === undefined ? undefined : await readBody(context, text);
  const { comment, dryRun } = context.sharedOptions;
  if (dryRun && method !== 'GET')
    throw new DryRun({
      method,
      path,
      ...(body !== undefined && { body }),
      ...(comment !== undefined && { comment }),
    });
  const headers = comment === undefined ? {} : { 'Halyard-Comment': encodeURIComponent(comment) };
  const response = await requireSuccess(
    await context.send(method, path, { body, headers }),
    context.connection().server,
  );
  const ignoredNames = response.headers.get('Halyard-Ignored');
  if (ignoredNames) context.note(`The server ignored unknown names: ${ignoredNames}`);
  const hint = response.headers.get('Halyard-Hint');
  if (hint) context.note(hint);
  return await readResponseBody(response);
}

async function readBody({ stdin }: Context, text: string): Promise<unknown> {
  const { readFile } = await import('node:fs/promises');
  const source =
    text === '@-'
      ? await readAll(stdin)
      : text.startsWith('@')
        ? await readFile(text.slice(1), 'utf8').catch(throwReadError)
        : text;
  try {
    return JSON.parse(source);
  } catch (error) {
    throw usageError(`The body is not valid JSON: ${(error as Error).message}.`);
  }
}

const throwReadError = (error: Error): never => {
  throw usageError(`Cannot read the body: ${error.message}`);
};

async function readAll(stdin: NodeJS.ReadStream): Promise<string> {
  let text = '';
  stdin.setEncoding('utf8');
  for await (const chunk of stdin) {
    text += chunk;
    if (text.length > MAX_BODY_LENGTH)
      throw usageError('The body is larger than 8 MiB, which no operation accepts.');
  }
  return text;
}

/** Reads all pages of a list, which is the only array in the body. Events and deliveries are paged by id, other lists by offset. */
async function* readPages(context: Context, path: string): AsyncGenerator<unknown> {
  const { server } = context.connection();
  let cursor: Record<string, string> = {};
  for (let itemCount = 0; itemCount < MAX_ITEMS; ) {
    const url = new URL(path, 'http://server');
    if (!url.searchParams.has('limit')) url.searchParams.set('limit', String(PAGE_SIZE));
    for (const [name, value] of Object.entries(cursor)) url.searchParams.set(name, value);
    const response = await requireSuccess(await context.send('GET', url.pathname + url.search), server);
    const body = await readResponseBody(response);
    const page = findItems(body);
    if (page === undefined)
      throw usageError(`The response from ${url.pathname} is not a list.`, 'Remove --paginate.');
    yield* page;
    itemCount += page.length;
    const { total, next } = body as { total?: number; next?: number };
    const size = Number(url.searchParams.get('limit'));
    if (page.length < size || page.length === 0 || (next === undefined && total === undefined)) return;
    if (next === undefined && itemCount >= (total ?? 0)) return;
    cursor = next === undefined ? { offset: String(itemCount) } : { before: String(next) };
  }
  context.note(`Stopped after ${MAX_ITEMS.toLocaleString('en')} items.`);
}

function findItems(body: unknown): unknown[] | undefined {
  if (Array.isArray(body)) return body;
  if (typeof body !== 'object' || body === null) return undefined;
  const lists = Object.values(body).filter(value => Array.isArray(value));
  return lists.length === 1 ? lists[0] : undefined;
}
