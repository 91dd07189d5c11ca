import { hash } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { chosenProfile, readServer } from '../../connection.ts';
import type { Context } from '../../context.ts';
import { failed, notLoggedIn, rejection, unreachable, wrongUse } from '../../errors.ts';
import { bodyOf } from '../../requests.ts';
import { VERSION } from '../../version.ts';
import { type Flags, readFlags } from './documents.ts';

const TIMEOUT_MS = 10_000;

export type Fetched = { flags: Flags; fetchedAt: string };

/** Where the flags come from. */
export type Upstream = {
  /** The name of the source, for messages. */
  name: string;
  /** The flags if they changed since the last time. */
  fetch: () => Promise<Fetched | undefined>;
  /** The flags of an earlier run. */
  stored: () => Fetched | undefined;
};

/** The server of the option, the environment variable or the profile. */
function serverOf({ env, given }: Context): string {
  const named = given.server ?? (given.profile === undefined ? env.HALYARD_SERVER || undefined : undefined);
  const server = named === undefined ? chosenProfile(env, given.profile)?.[1].server : readServer(named);
  if (server === undefined)
    throw notLoggedIn('Which server?', 'Use --server, set HALYARD_SERVER, or run halyard login.');
  return server;
}

/** Reads the flags as a server-side SDK does, with the token of an SDK. */
export function makeUpstream(context: Context): Upstream {
  const server = serverOf(context);
  const token = context.env.HALYARD_SDK_TOKEN;
  if (!token)
    throw wrongUse(
      'HALYARD_SDK_TOKEN is not set.',
      'Set it to the API token that your program uses on a server. To create one, run halyard tokens create <name> --environment development.',
    );
  const file = storeFile(context.env, `${server} ${token}`);
  let etag: string | undefined;
  return {
    name: server,
    fetch: async () => {
      const response = await fetch(`${server}/api/client/features`, {
        // A token is never sent to a server that the user did not name.
        redirect: 'manual',
        headers: {
          Authorization: token,
          'User-Agent': `halyard-cli/${VERSION}`,
          'Unleash-AppName': 'halyard-dev',
          // Segments are not inlined.
          'Unleash-Client-Spec': '5.2.0',
          ...(etag !== undefined && { 'If-None-Match': etag }),
        },
        signal: AbortSignal.any([context.signal, AbortSignal.timeout(TIMEOUT_MS)]),
      }).catch((error: unknown) => {
        const { cause, message } = error as Error & { cause?: Error };
        throw unreachable(`Cannot reach ${server}: ${(cause as Error | undefined)?.message || message}.`);
      });
      if (response.status === 304) return undefined;
      const body = await bodyOf(response);
      if (!response.ok) throw rejection(response.status, body, server);
      const flags = readFlags(body);
      if (!flags) throw failed(`${server} did not respond with flags, as a Halyard server does.`);
      etag = response.headers.get('ETag') ?? undefined;
      const fetched = { flags, fetchedAt: new Date().toISOString() };
      store(file, fetched);
      return fetched;
    },
    stored: () => {
      try {
        const { flags, fetchedAt } = JSON.parse(readFileSync(file, 'utf8')) as Fetched;
        return readFlags(flags) && typeof fetchedAt === 'string' ? { flags, fetchedAt } : undefined;
      } catch {
        return undefined;
      }
    },
  };
}

/** Reads the flags from a file that contains a response from `/api/client/features`. */
export function fileUpstream(path: string): Upstream {
  return {
    name: path,
    fetch: async () => {
      let flags: Flags | undefined;
      try {
        flags = readFlags(JSON.parse(readFileSync(path, 'utf8')));
      } catch (error) {
        throw wrongUse(`Cannot read ${path}: ${(error as Error).message}.`);
      }
      if (!flags)
        throw wrongUse(`${path} has no list "features", as the response from /api/client/features does.`);
      return { flags, fetchedAt: new Date().toISOString() };
    },
    stored: () => undefined,
  };
}

/** One file for each server and token. The file name reveals neither. */
const storeFile = (env: Context['env'], key: string): string =>
  join(
    env.XDG_CACHE_HOME || join(env.HOME || homedir(), '.cache'),
    'halyard',
    `dev-${hash('sha256', key).slice(0, 16)}.json`,
  );

/** Without a writable folder, everything works except starting offline. */
function store(file: string, fetched: Fetched): void {
  const temporary = `${file}.${process.pid}`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(temporary, JSON.stringify(fetched), { mode: 0o600 });
    chmodSync(temporary, 0o600);
    renameSync(temporary, file);
  } catch {
    rmSync(temporary, { force: true });
  }
}
