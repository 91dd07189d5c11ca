import { unwatchFile, watchFile } from 'node:fs';
import { resolve } from 'node:path';
import type { Context } from '../../context.ts';
import { CommandError, failed, interrupted } from '../../errors.ts';
import { type Overrides, variantsOf } from './documents.ts';
import { parseOverrides, readText, writeOverride } from './overrides.ts';
import { serve } from './server.ts';
import { makeSource } from './source.ts';
import { type Fetched, fileUpstream, makeUpstream, type Upstream } from './upstream.ts';

const FETCH_MS = 5_000;
const WATCH_MS = 300;

export type Running = { flags: number; overrides: number } & (
  | { event: 'listening'; url: string; upstream: string; fetchedAt: string }
  | { event: 'changed' }
  | { event: 'problem'; message: string }
);

type Options = { port: number; overrides?: string | undefined; from?: string | undefined; offline: boolean };

const messageOf = (error: unknown): string =>
  error instanceof CommandError ? error.problem.message : (error as Error).message;

/** Serves until the user interrupts. */
export async function* runDev(context: Context, options: Options): AsyncGenerator<Running> {
  const file = options.overrides ?? 'flags.local.yaml';
  const upstream = options.from === undefined ? makeUpstream(context) : fileUpstream(options.from);
  const local = makeSource();
  const waiting: Running[] = [];
  let wake = () => {};
  let problem: string | undefined;
  // An error in the file ends the command only at the start, before it serves anything.
  let text = readText(file);
  let overrides: Overrides = parseOverrides(file, text);
  let { fetched, why } = await first(upstream, options.offline);
  if (why !== undefined) context.note(why);
  local.set(fetched.flags, overrides);

  const counts = () => ({
    flags: new Set([...fetched.flags.features.map(({ name }) => name), ...Object.keys(overrides)]).size,
    overrides: Object.keys(overrides).length,
  });
  const say = (one: { event: 'changed' } | { event: 'problem'; message: string }) => {
    waiting.push({ ...one, ...counts() });
    wake();
  };
  /** Prints a problem once. */
  const report = (message: string | undefined) => {
    if (message !== undefined && message !== problem) say({ event: 'problem', message });
    problem = message;
  };
  const apply = () => {
    if (local.set(fetched.flags, overrides)) say({ event: 'changed' });
  };
  const readOverrides = () => {
    try {
      const now = readText(file);
      if (now !== text) overrides = parseOverrides(file, now);
      text = now;
      report(undefined);
    } catch (error) {
      return report(messageOf(error));
    }
    apply();
  };

  const flags = () => {
    const known = new Map(fetched.flags.features.map(one => [one.name, one]));
    const names = [...new Set([...known.keys(), ...Object.keys(overrides)])].toSorted();
    return {
      upstream: upstream.name,
      fetchedAt: fetched.fetchedAt,
      file: resolve(file),
      problem,
      flags: names.map(name => {
        const one = known.get(name);
        return {
          name,
          enabled: one ? one.enabled === true : null,
          variants: one ? [...new Set(variantsOf(one).map(variant => variant.name))] : [],
          ...(Object.hasOwn(overrides, name) && { override: overrides[name] }),
        };
      }),
    };
  };
  const served = await serve(local, options.port, {
    flags,
    set: (name, override) => {
      parseOverrides(file, readText(file));
      writeOverride(file, name, override);
      readOverrides();
    },
  });

  watchFile(file, { interval: WATCH_MS }, readOverrides);
  let isFetching = false;
  const fetching = setInterval(async () => {
    if (options.offline || isFetching) return;
    isFetching = true;
    try {
      const newer = await upstream.fetch();
      if (newer) fetched = newer;
      apply();
      report(undefined);
    } catch (error) {
      if (!context.signal.aborted) report(messageOf(error));
    } finally {
      isFetching = false;
    }
  }, FETCH_MS);
  const onAbort = () => wake();
  context.signal.addEventListener('abort', onAbort);
  try {
    const { fetchedAt } = fetched;
    yield { event: 'listening', url: served.url, upstream: upstream.name, fetchedAt, ...counts() };
    while (!context.signal.aborted) {
      const next = waiting.shift();
      if (next) yield next;
      else
        await new Promise<void>(done => {
          wake = done;
        });
    }
    throw interrupted('Stopped.');
  } finally {
    clearInterval(fetching);
    unwatchFile(file, readOverrides);
    await served.close();
  }
}

/** The flags of the server, or those of an earlier run if it is unreachable. */
async function first(upstream: Upstream, offline: boolean): Promise<{ fetched: Fetched; why?: string }> {
  const stored = upstream.stored();
  if (offline && stored) return { fetched: stored };
  if (offline)
    throw failed(
      'No earlier run has stored flags for this server and token.',
      'Run it once without --offline.',
    );
  try {
    const fetched = await upstream.fetch();
    if (!fetched) throw failed(`${upstream.name} did not respond with flags.`);
    return { fetched };
  } catch (error) {
    const isDown = error instanceof CommandError && error.problem.retryable;
    if (!isDown || !stored) throw error;
    return { fetched: stored, why: `${messageOf(error)} Serving the flags that were stored before.` };
  }
}
