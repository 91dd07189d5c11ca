import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import type { App } from '../../../plane/src/platform/http/app.ts';
import { buildApp } from '../app.ts';
import { createInitialAdminTokens } from '../people/api-tokens/initial-admin-tokens.ts';
import { type Db, openDb } from '../platform/db/database.ts';
import { makeUser } from './factories.ts';
import { ADMIN_TOKEN, APP_SETTINGS } from './harness.ts';
import { addresses, bodies, elsewhere, type Fixture, makeFixture } from './lock-fixture.ts';
import { listAdminOperations, type Operation } from './operations.ts';
import { call } from './request.ts';

/** One request that changes something, and the statements of its transaction. */
export type Write = {
  name: string;
  send: (server: { app: App; db: Db }) => Promise<unknown>;
  statements: string[];
};

/** `first` stops before its statement `at` and continues when `second` has ended or waits for it. */
export type Trial = { first: Write; second: Write; at: number };

export type LockCampaign = {
  writes: Write[];
  /** Operations whose example is rejected before the commit, so that a trial with them proves nothing. */
  unreached: string[];
  /** Returns the deadlocks that PostgreSQL reported. */
  run: (trial: Trial) => Promise<string[]>;
  close: () => Promise<void>;
};

type Side = {
  statements: string[];
  committed: boolean;
  pauseAt: number;
  onPause: () => void;
  resume: Promise<void>;
  errors: string[];
};

const LOCKING =
  /\bfor (no key update|update|share|key share)\b|^\s*(insert|update|delete)\b|\b(insert into|delete from)\b|\bupdate \w+ set\b|advisory_xact_lock/i;
const DEADLOCK = '40P01';
/** Operations that have nothing to do with flags, projects or environments, and that are slow because they hash a password. */
const OTHER = /^\/(auth|logout|invite)|password|\/validate$|\/preview$|constraints|\/playground/;

/**
 * Runs pairs of API writes whose transactions overlap at a chosen statement. Nothing is ever committed, so every trial starts
 * from the same state.
 */
export async function startLockCampaign(databaseUrl: string): Promise<LockCampaign> {
  const watcher = openDb({ url: databaseUrl, poolSize: 2, onError: () => {} });
  // PostgreSQL looks for a deadlock when a wait takes this long.
  await sql`select set_config('deadlock_timeout', '20ms', false)`.execute(watcher);
  await sql
    .raw(`alter database ${new URL(databaseUrl).pathname.slice(1)} set deadlock_timeout = '20ms'`)
    .execute(watcher);
  const { fixture, token } = await prepare(watcher);
  const sides = new Map<string, Side>();
  const restore = interceptQueries(sides);
  const [one, other] = [await openSide(databaseUrl, 'first'), await openSide(databaseUrl, 'second')];
  const { writes, unreached } = await learn(sides, one, fixture, token);

  return {
    writes,
    unreached,
    run: async ({ first, second, at }) => {
      const paused = Promise.withResolvers<void>();
      const resume = Promise.withResolvers<void>();
      const side = newSide({ pauseAt: at, onPause: paused.resolve, resume: resume.promise });
      const secondSide = newSide();
      sides.set('first', side);
      sides.set('second', secondSide);
      const ending = first.send(one);
      await Promise.race([ending, paused.promise]);
      const otherEnding = second.send(other);
      await untilDoneOrWaiting(watcher, otherEnding);
      resume.resolve();
      await Promise.all([ending, otherEnding]);
      return [...side.errors, ...secondSide.errors];
    },
    close: async () => {
      restore();
      for (const { app, db } of [one, other]) {
        await app.close();
        await db.destroy();
      }
      await watcher.destroy();
    },
  };
}

const ROW_LOCK = /\bfor (?:no key update|update|share|key share)(?: of "?(\w+)"?)?(?: skip locked)?\s*$/i;
const ADVISORY_LOCK = /pg_advisory_xact_lock\((?:hashtext\('([^']+)'\)|\d+, \w+)/;

/** The locks that a write takes explicitly, in order: names of tables and of advisory locks. */
export function locksOf({ statements }: Write): string[] {
  return statements.flatMap(text => {
    const advisory = ADVISORY_LOCK.exec(text);
    if (advisory) return [advisory[1] ?? 'order of deliveries'];
    if (text.includes('pg_advisory')) return [text];
    const row = ROW_LOCK.exec(text);
    if (!row) return [];
    let outer = text;
    while (/\([^()]*\)/.test(outer)) outer = outer.replace(/\([^()]*\)/g, '');
    return [row[1] ?? /\bfrom "?(\w+)"?/i.exec(outer)?.[1] ?? text];
  });
}

/** The statements at which pausing can reveal a deadlock: the write already holds a lock and takes another one later. */
export function pausesOf({ statements }: Write): number[] {
  const locking = statements.flatMap((text, index) => (LOCKING.test(text) ? [index] : []));
  return locking.slice(0, -1).map(index => index + 1);
}

async function prepare(db: Db): Promise<{ fixture: Fixture; token: string }> {
  await createInitialAdminTokens(db, [ADMIN_TOKEN]);
  const app = await buildApp(db, APP_SETTINGS);
  const { token, id } = await makeUser(db, 'Admin');
  const fixture = await makeFixture(db, app, token, id);
  await app.close();
  return { fixture, token };
}

async function openSide(databaseUrl: string, name: string): Promise<{ app: App; db: Db }> {
  const url = new URL(databaseUrl);
  url.searchParams.set('application_name', name);
  const db = openDb({ url: url.href, poolSize: 3, onError: () => {} });
  return { db, app: await buildApp(db, APP_SETTINGS) };
}

const newSide = (fields: Partial<Side> = {}): Side => ({
  statements: [],
  committed: false,
  pauseAt: -1,
  onPause: () => {},
  resume: Promise.resolve(),
  errors: [],
  ...fields,
});

/** Counts the statements of transactions, pauses before the chosen one, and rolls back instead of committing. */
function interceptQueries(sides: Map<string, Side>): () => void {
  const original = pg.Client.prototype.query;
  const within = new WeakMap<pg.Client, boolean>();
  // biome-ignore lint/suspicious/noExplicitAny: stands for all overloads of `query`
  pg.Client.prototype.query = function (this: pg.Client, ...call: any[]): any {
    // biome-ignore lint/suspicious/noExplicitAny: not among the types of `pg`
    const side = sides.get((this as any).connectionParameters.application_name);
    const run = original as unknown as (...call: unknown[]) => Promise<unknown>;
    if (!side) return run.apply(this, call);
    const text: string = typeof call[0] === 'string' ? call[0] : call[0].text;
    if (text === 'begin') within.set(this, true);
    const ends = text === 'commit' || text === 'rollback';
    const index = within.get(this) && !ends && text !== 'begin' ? side.statements.push(text) - 1 : -1;
    if (ends) within.set(this, false);
    if (text === 'commit') side.committed = true;
    const pauses = index >= 0 && index === side.pauseAt;
    if (pauses) side.onPause();
    return (pauses ? side.resume : Promise.resolve())
      .then(() => run.apply(this, text === 'commit' ? ['rollback', []] : call))
      .catch((error: { code?: string; detail?: string }) => {
        if (error.code === DEADLOCK) side.errors.push(`${text.replace(/\s+/g, ' ').slice(0, 200)}`);
        throw error;
      });
  };
  return () => {
    pg.Client.prototype.query = original;
  };
}

async function learn(
  sides: Map<string, Side>,
  server: { app: App; db: Db },
  fixture: Fixture,
  token: string,
) {
  const writes: Write[] = [];
  const unreached: string[] = [];
  for (const operation of listAdminOperations().filter(
    ({ method, path }) => method !== 'GET' && !OTHER.test(path),
  )) {
    const name = `${operation.method} ${operation.path}`;
    const places = operation.path.includes('{projectId}') ? [{}, elsewhere] : [{}];
    for (const place of places) {
      const send = senderOf(operation, fixture, token, place);
      const side = newSide();
      sides.set('first', side);
      const response = await send(server);
      const changes = side.committed && side.statements.some(text => LOCKING.test(text));
      if (changes)
        writes.push({
          name: `${name}${place === elsewhere ? ' (elsewhere)' : ''}`,
          send,
          statements: side.statements,
        });
      else if (place !== elsewhere) unreached.push(`${name} ${JSON.stringify(response.body).slice(0, 200)}`);
    }
  }
  return { writes, unreached };
}

function senderOf(
  operation: Operation,
  fixture: Fixture,
  token: string,
  place: Record<string, string | number>,
) {
  const name = `${operation.method} ${operation.path}`;
  const body = bodies(fixture)[name] ?? operation.body;
  const values = { ...addresses(fixture)[''], ...addresses(fixture)[name], ...place };
  const url = operation.path.replace(/\{(\w+)\}/g, (_, key) =>
    encodeURIComponent(String(values[key] ?? 999_999)),
  );
  return async ({ app }: { app: App }) => await call(app, operation.method, url, { token, body });
}

async function untilDoneOrWaiting(db: Db, ending: Promise<unknown>): Promise<void> {
  let done = false;
  const ended = ending.then(() => {
    done = true;
  });
  while (!done) {
    const { rows } = await sql`
      select from pg_stat_activity
      where datname = current_database() and application_name = 'second' and wait_event_type = 'Lock'`.execute(
      db,
    );
    if (rows.length > 0) return;
    await Promise.race([ended, sleep(2)]);
  }
}
