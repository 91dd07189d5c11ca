import type { CompletionKind } from './command.ts';
import { makeContext } from './context.ts';
import { readProfiles } from './profiles.ts';
import { getData } from './requests.ts';

/** Short, because the shell waits for completions whenever the user presses Tab. */
const TIMEOUT_MS = 1500;
const MAX_CANDIDATES = 100;

type Env = Record<string, string | undefined>;

/** Returns names that begin with the typed part, or none if the server does not respond in time. */
export async function completionsFor(
  env: Env,
  kind: CompletionKind | undefined,
  partial: string,
): Promise<string[]> {
  if (kind === undefined) return [];
  const names = await readNames(env, kind, partial).catch(() => []);
  return names.filter(name => name.startsWith(partial)).slice(0, MAX_CANDIDATES);
}

async function readNames(env: Env, kind: CompletionKind, partial: string): Promise<string[]> {
  if (kind === 'profiles') return Object.keys(readProfiles(env).profiles);
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const { stdin, stdout, stderr } = process;
  const { read } = makeContext({ env, stdin, stdout, stderr, signal }, {});
  if (kind === 'projects')
    return (await getData(read.GET('/api/admin/projects'))).projects.map(({ id }) => id);
  if (kind === 'environments')
    return (await getData(read.GET('/api/admin/environments'))).environments.map(({ name }) => name);
  const query = { limit: MAX_CANDIDATES, sortBy: 'name', ...(partial && { query: partial }) } as const;
  return (await getData(read.GET('/api/admin/search/features', { params: { query } }))).features.map(
    ({ name }) => name,
  );
}
