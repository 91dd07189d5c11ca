import { hash } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { findProfile, readServer, readToken } from '../../connection.ts';
import type { Context } from '../../context.ts';
import { failure, notLoggedInError, rejection, unreachableError, usageError } from '../../errors.ts';
import { readResponseBody } from '../../requests.ts';
import { VERSION } from '../../version.ts';
import { type Flags, readFlags } from './documents.ts';

const REQUEST_TIMEOUT_MS = 10_000;

export type FetchedFlags = { flags: Flags; fetchedAt: string };

/** The source of the flags. */
export type Upstream = {
  /** The name of the source, for messages. */
  name: string;
  /** Returns the flags if they have changed since the last call. */
  fetch: () => Promise<FetchedFlags | undefined>;
  /** Returns the flags that an earlier run stored. */
  readStored: () => FetchedFlags | undefined;
};

/** Finds the server in the option, the environment variable or the profile. */
function findServer({ env, sharedOptions }: Context): string {
  const namedServer =
    sharedOptions.server ??
    (sharedOptions.profile === undefined ? env.HALYARD_SERVER || undefined : undefined);
  const server =
    namedServer === undefined ? findProfile(env, sharedOptions.profile)?.[1].server : readServer(namedServer);
  if (server === undefined)
    throw notLoggedInError('No server was given.', 'Use --server, set HALYARD_SERVER, or run halyard login.');
  return server;
}

/** Reads the flags as a server-side SDK does, with an SDK token. */
export function makeUpstream(context: Context): Upstream {
  const server = findServer(context);
  const variable = context.env.HALYARD_SDK_TOKEN;
  if (!variable)
    throw usageError(
      'HALYARD_SDK_TOKEN is not set.',
      'Set it to the API token that your application uses on a server. To create one, run halyard tokens create <name> --environment development.',
    );
  const token = readToken(variable, 'HALYARD_SDK_TOKEN');
  const file = cachePath(context.env, `${server} ${token}`);
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
          // Requests segments as a separate list.
          'Unleash-Client-Spec': '5.2.0',
          ...(etag !== undefined && { 'If-None-Match': etag }),
        },
        signal: AbortSignal.any([context.signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]),
      }).catch((error: unknown) => {
        const { cause, message } = error as Error & { cause?: Error };
        throw unreachableError(
          `Cannot reach ${server}: ${(cause as Error | undefined)?.message || message}`.replace(/\.*$/, '.'),
        );
      });
      if (response.status === 304) return undefined;
      const body = await readResponseBody(response);
      if (!response.ok) throw rejection(response.status, body, server, 'Check HALYARD_SDK_TOKEN.');
      const flags = readFlags(body);
      if (!flags) throw failure(`${server} did not respond with flags, so it is not a Halyard server.`);
      etag = response.headers.get('ETag') ?? undefined;
      const fetchedFlags = { flags, fetchedAt: new Date().toISOString() };
      store(file, fetchedFlags);
      return fetchedFlags;
    },
    readStored: () => {
      try {
        const { flags, fetchedAt } = JSON.parse(readFileSync(file, 'utf8')) as FetchedFlags;
        return readFlags(flags) && typeof fetchedAt === 'string' ? { flags, fetchedAt } : undefined;
      } catch {
        return undefined;
      }
    },
  };
}

/** Reads the flags from a file that contains a response from `/api/client/features`. */
export function makeFileUpstream(path: string): Upstream {
  return {
    name: path,
    fetch: async () => {
      let flags: Flags | undefined;
      try {
        flags = readFlags(JSON.parse(readFileSync(path, 'utf8')));
      } catch (error) {
        throw usageError(`Cannot read ${path}: ${(error as Error).message}.`);
      }
      if (!flags)
        throw usageError(`${path} has no "features" list. Save a response from /api/client/features in it.`);
      return { flags, fetchedAt: new Date().toISOString() };
    },
    readStored: () => undefined,
  };
}

/** Returns the file for a server and token. Its name reveals neither of them. */
const cachePath = (env: Context['env'], key: string): string =>
  join(
    env.XDG_CACHE_HOME || join(env.HOME || homedir(), '.cache'),
    'halyard',
    `dev-${hash('sha256', key).slice(0, 16)}.json`,
  );

/** Stores the flags. Errors are ignored, because the stored flags are needed only to start offline. */
function store(file: string, fetchedFlags: FetchedFlags): void {
  const temporaryFile = `${file}.${process.pid}`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(temporaryFile, JSON.stringify(fetchedFlags), { mode: 0o600 });
    chmodSync(temporaryFile, 0o600);
    renameSync(temporaryFile, file);
  } catch {
    rmSync(temporaryFile, { force: true });
  }
}
