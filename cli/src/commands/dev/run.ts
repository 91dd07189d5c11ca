import { unwatchFile, watchFile } from 'node:fs';
import { resolve } from 'node:path';
import type { Context } from '../../context.ts';
import { CommandError, failure, interruption } from '../../errors.ts';
import { listVariants, type Overrides } from './documents.ts';
import { parseOverrides, readText, writeOverride } from './overrides.ts';
import { serve } from './server.ts';
import { makeSource } from './source.ts';
import { type FetchedFlags, makeFileUpstream, makeUpstream, type Upstream } from './upstream.ts';

const FETCH_INTERVAL_MS = 5_000;
const WATCH_INTERVAL_MS = 300;

export type DevServerEvent = { flags: number; overrides: number } & (
  | { event: 'listening'; url: string; upstream: string; fetchedAt: string }
  | { event: 'changed' }
  | { event: 'problem'; message: string }
);

type Options = { port: number; overrides?: string | undefined; from?: string | undefined; offline: boolean };

const getMessage = (error: unknown): string =>
  error instanceof CommandError ? error.problem.message : (error as Error).message;

/** Serves until the user interrupts the command. */
export async function* runDev(context: Context, options: Options): AsyncGenerator<DevServerEvent> {
  const file = options.overrides ?? 'flags.local.yaml';
  const upstream = options.from === undefined ? makeUpstream(context) : makeFileUpstream(options.from);
  const local = makeSource();
  const pendingEvents: DevServerEvent[] = [];
  let wake = () => {};
  let currentProblem: string | undefined;
  // An error in the file ends the command here. Once the command serves flags, it only reports such errors.
  let text = readText(file);
  let overrides: Overrides = parseOverrides(file, text);
  let { fetched: fetchedFlags, reason } = await readInitialFlags(upstream, options.offline);
  if (reason !== undefined) context.note(reason);
  local.set(fetchedFlags.flags, overrides);

  const countAll = () => ({
    flags: new Set([...fetchedFlags.flags.features.map(({ name }) => name), ...Object.keys(overrides)]).size,
    overrides: Object.keys(overrides).length,
  });
  const emit = (event: { event: 'changed' } | { event: 'problem'; message: string }) => {
    pendingEvents.push({ ...event, ...countAll() });
    wake();
  };
  /** Prints a problem once. */
  const report = (message: string | undefined) => {
    if (message !== undefined && message !== currentProblem) emit({ event: 'problem', message });
    currentProblem = message;
  };
  const apply = () => {
    if (local.set(fetchedFlags.flags, overrides)) emit({ event: 'changed' });
  };
  const readOverrides = () => {
    try {
      const newText = readText(file);
      if (newText !== text) overrides = parseOverrides(file, newText);
      text = newText;
      report(undefined);
    } catch (error) {
      return report(getMessage(error));
    }
    apply();
  };

  const listFlags = () => {
    const documents = new Map(fetchedFlags.flags.features.map(feature => [feature.name, feature]));
    const names = [...new Set([...documents.keys(), ...Object.keys(overrides)])].toSorted();
    return {
      upstream: upstream.name,
      fetchedAt: fetchedFlags.fetchedAt,
      file: resolve(file),
      problem: currentProblem,
      flags: names.map(name => {
        const document = documents.get(name);
        return {
          name,
          enabled: document ? document.enabled === true : null,
          variants: document ? [...new Set(listVariants(document).map(variant => variant.name))] : [],
          ...(Object.hasOwn(overrides, name) && { override: overrides[name] }),
        };
      }),
    };
  };
  const server = await serve(local, options.port, {
    listFlags,
    setOverride: (name, override) => {
      parseOverrides(file, readText(file));
      writeOverride(file, name, override);
      readOverrides();
    },
  });

  watchFile(file, { interval: WATCH_INTERVAL_MS }, readOverrides);
  let isFetching = false;
  const fetchTimer = setInterval(async () => {
    if (options.offline || isFetching) return;
    isFetching = true;
    try {
      const newFlags = await upstream.fetch();
      if (newFlags) fetchedFlags = newFlags;
      apply();
      report(undefined);
    } catch (error) {
      if (!context.signal.aborted) report(getMessage(error));
    } finally {
      isFetching = false;
    }
  }, FETCH_INTERVAL_MS);
  const onAbort = () => wake();
  context.signal.addEventListener('abort', onAbort);
  try {
    const { fetchedAt } = fetchedFlags;
    yield { event: 'listening', url: server.url, upstream: upstream.name, fetchedAt, ...countAll() };
    while (!context.signal.aborted) {
      const nextEvent = pendingEvents.shift();
      if (nextEvent) yield nextEvent;
      else
        await new Promise<void>(resume => {
          wake = resume;
        });
    }
    throw interruption('Stopped.');
  } finally {
    clearInterval(fetchTimer);
    unwatchFile(file, readOverrides);
    await server.close();
  }
}

/** Reads the flags from the server, or those of an earlier run if the server is unreachable. */
async function readInitialFlags(
  upstream: Upstream,
  offline: boolean,
): Promise<{ fetched: FetchedFlags; reason?: string }> {
  const storedFlags = upstream.readStored();
  if (offline && storedFlags) return { fetched: storedFlags };
  if (offline)
    throw failure(
      'No earlier run has stored flags for this server and token.',
      'Run it once without --offline.',
    );
  try {
    const fetchedFlags = await upstream.fetch();
    if (!fetchedFlags) throw failure(`${upstream.name} did not respond with flags.`);
    return { fetched: fetchedFlags };
  } catch (error) {
    const isDown = error instanceof CommandError && error.problem.retryable;
    if (!isDown || !storedFlags) throw error;
    return {
      fetched: storedFlags,
      reason: `${getMessage(error)} Serving the flags that an earlier run stored.`,
    };
  }
}
