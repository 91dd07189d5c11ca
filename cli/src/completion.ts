import type { Completes } from './command.ts';
import { makeContext } from './context.ts';
import { readProfiles } from './profiles.ts';
import { data } from './requests.ts';

/** The shell waits for this on every key press. */
const TIMEOUT_MS = 1500;
const MAX_CANDIDATES = 100;

type Env = Record<string, string | undefined>;

/** Names that begin with what was typed. None if the server does not respond in time. */
export async function candidates(env: Env, kind: Completes | undefined, partial: string): Promise<string[]> {
  if (kind === undefined) return [];
  const names = await namesOf(env, kind, partial).catch(() => []);
  return names.filter(name => name.startsWith(partial)).slice(0, MAX_CANDIDATES);
}

async function namesOf(env: Env, kind: Completes, partial: string): Promise<string[]> {
  if (kind === 'profiles') return Object.keys(readProfiles(env).profiles);
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const { stdin, stdout, stderr } = process;
  const { read } = makeContext({ env, stdin, stdout, stderr, signal }, {});
  if (kind === 'projects') return (await data(read.GET('/api/admin/projects'))).projects.map(({ id }) => id);
  if (kind === 'environments')
    return (await data(read.GET('/api/admin/environments'))).environments.map(({ name }) => name);
  const query = { limit: MAX_CANDIDATES, sortBy: 'name', ...(partial && { query: partial }) } as const;
  return (await data(read.GET('/api/admin/search/features', { params: { query } }))).features.map(
    ({ name }) => name,
  );
}
