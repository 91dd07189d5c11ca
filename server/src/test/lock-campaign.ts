import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '@halyard/plane/platform/http/app.ts';
import { sql } from 'kysely';
import pg from 'pg';
import { buildApp } from '../app.ts';
import { createInitialAdminTokens } from '../people/api-tokens/initial-admin-tokens.ts';
import { type Db, openDb } from '../platform/db/database.ts';
import { makeUser } from './factories.ts';
import { ADMIN_TOKEN, APP_SETTINGS } from './harness.ts';
import {
  buildBodies,
  buildPathValues,
  type Fixture,
  makeFixture,
  otherProjectParams,
} from './lock-fixture.ts';
import { listAdminOperations, type Operation } from './operations.ts';
import { call } from './request.ts';

/** One request that changes something, and the statements of its transaction. */
export type Write = {
  name: string;
  send: (server: { app: App; db: Db }) => Promise<unknown>;
  statements: string[];
};

/** The first write stops before the statement `pauseAt` and continues when the second write has ended or waits for it. */
export type Trial = { first: Write; second: Write; pauseAt: number };

export type LockCampaign = {
  writes: Write[];
  /** Operations whose example is rejected before the commit, which makes them useless in a trial. */
  unreachedOperations: string[];
  /** Returns the deadlocks that PostgreSQL reported. */
  run: (trial: Trial) => Promise<string[]>;
  close: () => Promise<void>;
};

type Side = {
  statements: string[];
  isCommitted: boolean;
  pauseAt: number;
  onPause: () => void;
  resume: Promise<void>;
  errors: string[];
};

const LOCKING =
  /\bfor (no key update|update|share|key share)\b|^\s*(insert|update|delete)\b|\b(insert into|delete from)\b|\bupdate \w+ set\b|advisory_xact_lock/i;
const DEADLOCK = '40P01';
/** Operations that only read, or that have nothing to do with flags, projects or environments. Some are slow because they hash a password. */
const UNRELATED_PATHS = /^\/(auth|logout|invite)|password|\/validate$|\/preview$|constraints|\/playground/;

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
  const [firstServer, secondServer] = [
    await openSide(databaseUrl, 'first'),
    await openSide(databaseUrl, 'second'),
  ];
  const { writes, unreachedOperations } = await recordWrites(sides, firstServer, fixture, token);

  return {
    writes,
    unreachedOperations,
    run: async ({ first, second, pauseAt }) => {
      const pauseReached = Promise.withResolvers<void>();
      const resume = Promise.withResolvers<void>();
      const firstSide = makeSide({ pauseAt, onPause: pauseReached.resolve, resume: resume.promise });
      const secondSide = makeSide();
      sides.set('first', firstSide);
      sides.set('second', secondSide);
      const firstEnd = first.send(firstServer);
      await Promise.race([firstEnd, pauseReached.promise]);
      const secondEnd = second.send(secondServer);
      await waitUntilDoneOrBlocked(watcher, secondEnd);
      resume.resolve();
      await Promise.all([firstEnd, secondEnd]);
      return [...firstSide.errors, ...secondSide.errors];
    },
    close: async () => {
      restore();
      for (const { app, db } of [firstServer, secondServer]) {
        await app.close();
        await db.destroy();
      }
      await watcher.destroy();
    },
  };
}

const ROW_LOCK = /\bfor (?:no key update|update|share|key share)(?: of "?(\w+)"?)?(?: skip locked)?\s*$/i;
const ADVISORY_LOCK = /pg_advisory_xact_lock\((?:hashtext\('([^']+)'\)|\d+, \w+)/;

/** Returns the names of the tables and advisory locks that a write locks explicitly, in order. */
export function listLocks({ statements }: Write): string[] {
  return statements.flatMap(text => {
    const advisoryMatch = ADVISORY_LOCK.exec(text);
    if (advisoryMatch) return [advisoryMatch[1] ?? 'order of deliveries'];
    if (text.includes('pg_advisory')) return [text];
    const rowMatch = ROW_LOCK.exec(text);
    if (!rowMatch) return [];
    let outerStatement = text;
    while (/\([^()]*\)/.test(outerStatement)) outerStatement = outerStatement.replace(/\([^()]*\)/g, '');
    return [rowMatch[1] ?? /\bfrom "?(\w+)"?/i.exec(outerStatement)?.[1] ?? text];
  });
}

/**
 * Returns the indexes of statements at which a pause can reveal a deadlock, because the write already holds a lock and takes
 * another one later.
 */
export function findPausePoints({ statements }: Write): number[] {
  const lockingIndexes = statements.flatMap((text, index) => (LOCKING.test(text) ? [index] : []));
  return lockingIndexes.slice(0, -1).map(index => index + 1);
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

const makeSide = (fields: Partial<Side> = {}): Side => ({
  statements: [],
  isCommitted: false,
  pauseAt: -1,
  onPause: () => {},
  resume: Promise.resolve(),
  errors: [],
  ...fields,
});

/** Records the statements of transactions, pauses before the chosen one, and rolls back instead of committing. */
function interceptQueries(sides: Map<string, Side>): () => void {
  const original = pg.Client.prototype.query;
  const inTransaction = new WeakMap<pg.Client, boolean>();
  // biome-ignore lint/suspicious/noExplicitAny: stands for all overloads of `query`
  pg.Client.prototype.query = function (this: pg.Client, ...args: any[]): any {
    // biome-ignore lint/suspicious/noExplicitAny: not among the types of `pg`
    const side = sides.get((this as any).connectionParameters.application_name);
    const run = original as unknown as (...args: unknown[]) => Promise<unknown>;
    if (!side) return run.apply(this, args);
    const text: string = typeof args[0] === 'string' ? args[0] : args[0].text;
    if (text === 'begin') inTransaction.set(this, true);
    const isEnd = text === 'commit' || text === 'rollback';
    const index = inTransaction.get(this) && !isEnd && text !== 'begin' ? side.statements.push(text) - 1 : -1;
    if (isEnd) inTransaction.set(this, false);
    if (text === 'commit') side.isCommitted = true;
    const isPause = index >= 0 && index === side.pauseAt;
    if (isPause) side.onPause();
    return (isPause ? side.resume : Promise.resolve())
      .then(() => run.apply(this, text === 'commit' ? ['rollback', []] : args))
      .catch((error: { code?: string; detail?: string }) => {
        if (error.code === DEADLOCK) side.errors.push(`${text.replace(/\s+/g, ' ').slice(0, 200)}`);
        throw error;
      });
  };
  return () => {
    pg.Client.prototype.query = original;
  };
}

async function recordWrites(
  sides: Map<string, Side>,
  server: { app: App; db: Db },
  fixture: Fixture,
  token: string,
) {
  const writes: Write[] = [];
  const unreachedOperations: string[] = [];
  for (const operation of listAdminOperations().filter(
    ({ method, path }) => method !== 'GET' && !UNRELATED_PATHS.test(path),
  )) {
    const name = `${operation.method} ${operation.path}`;
    const parameterSets = operation.path.includes('{projectId}') ? [{}, otherProjectParams] : [{}];
    for (const parameters of parameterSets) {
      const send = makeSender(operation, fixture, token, parameters);
      const side = makeSide();
      sides.set('first', side);
      const response = await send(server);
      const changes = side.isCommitted && side.statements.some(text => LOCKING.test(text));
      if (changes)
        writes.push({
          name: `${name}${parameters === otherProjectParams ? ' (in a different project)' : ''}`,
          send,
          statements: side.statements,
        });
      else if (parameters !== otherProjectParams)
        unreachedOperations.push(`${name} ${JSON.stringify(response.body).slice(0, 200)}`);
    }
  }
  return { writes, unreachedOperations };
}

function makeSender(
  operation: Operation,
  fixture: Fixture,
  token: string,
  parameters: Record<string, string | number>,
) {
  const name = `${operation.method} ${operation.path}`;
  const body = buildBodies(fixture)[name] ?? operation.body;
  const values = { ...buildPathValues(fixture)[''], ...buildPathValues(fixture)[name], ...parameters };
  const url = operation.path.replace(/\{(\w+)\}/g, (_, key) =>
    encodeURIComponent(String(values[key] ?? 999_999)),
  );
  return async ({ app }: { app: App }) => await call(app, operation.method, url, { token, body });
}

async function waitUntilDoneOrBlocked(db: Db, ending: Promise<unknown>): Promise<void> {
  let isDone = false;
  const completion = ending.then(() => {
    isDone = true;
  });
  while (!isDone) {
    const { rows } = await sql`
      select from pg_stat_activity
      where datname = current_database() and application_name = 'second' and wait_event_type = 'Lock'`.execute(
      db,
    );
    if (rows.length > 0) return;
    await Promise.race([completion, sleep(2)]);
  }
}
