import { sql } from 'kysely';
import { badData, notFound } from '../../../../plane/src/platform/errors.ts';
import type { App } from '../../../../plane/src/platform/http/app.ts';
import { violations } from '../../../../plane/src/platform/http/input/violations.ts';
import { authorize } from '../../access/guard.ts';
import { requireRouteInScope } from '../../access/scope.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { Instance } from '../../platform/instance.ts';
import { type Change, change } from '../change.ts';
import type { AnyCommand, Operation } from './definition.ts';

/** A command and its input as plain JSON, so that it can be stored and run later. */
export type StoredOperation = {
  operation: string;
  input: { params?: Record<string, string>; query?: Record<string, unknown>; body?: unknown };
};

/** A change is one transaction and must stay short. */
export const MAX_STORED_OPERATIONS = 100;

/** The largest body of a request that is not an import. */
export const MAX_STORED_BYTES = 1_048_576;

/** What else happens in a change of stored operations. */
export type Around = {
  /** Runs before the first operation. It locks what it reads, so no operation waits for a lock after it. */
  before?: (current: Change) => Promise<void>;
  /** Runs after the events are written and before the commit. If it throws, nothing is changed. */
  after?: (tx: Tx) => Promise<void>;
};

type Step = { command: AnyCommand; input: Required<StoredOperation['input']> };

/**
 * Runs stored operations in one change, in their order: all of them, or none. Each is validated and authorized again, because
 * schemas and permissions may have changed since it was stored. Returns their responses. Each operation takes its locks in the
 * order of `platform/db/lock-order.ts`, but the second one may need a lock that comes before those of the first. It does not wait
 * for a lock, so the change ends with a retryable 503 instead of a deadlock.
 */
export async function runStored(
  app: App,
  db: Db,
  instance: Instance,
  actor: Actor,
  stored: StoredOperation[],
  { before, after }: Around = {},
): Promise<unknown[]> {
  rejectTooMany(stored);
  const steps = stored.map(one => prepare(app, one));
  return await change(
    db,
    actor,
    async current => {
      await before?.(current);
      return await runAll(current, steps, instance, before !== undefined);
    },
    async (tx, results) => {
      const responses = await inOrder(steps, async ({ command: { respond }, input }, at) =>
        respond ? await respond(tx, actor, results[at], input) : results[at],
      );
      await after?.(tx);
      return responses;
    },
  );
}

async function runAll(
  current: Change,
  steps: Step[],
  instance: Instance,
  hasLocks: boolean,
): Promise<unknown[]> {
  const { tx, actor } = current;
  const results = await inOrder(steps, async ({ command, input }, at) => {
    if (at === (hasLocks ? 0 : 1)) await stopWaiting(tx);
    // Not before the change, because an operation may need a project that the previous one creates.
    const { route, permission, checkedPermission, checksPermissions } = command;
    const [, url = ''] = route.split(' ');
    requireRouteInScope(actor, { url, permission, checkedPermission, checksPermissions, onlyReads: false });
    const projectOfFeature = (await authorize(tx, actor, command.permission, input.params)) ?? '';
    return await command.run(current, input, { ...instance, projectOfFeature, sessionId: null });
  });
  if (steps.length > 1 || hasLocks) await waitAgain(tx);
  return results;
}

function rejectTooMany(stored: StoredOperation[]): void {
  if (stored.length > MAX_STORED_OPERATIONS)
    throw badData([
      { message: `A change has at most ${MAX_STORED_OPERATIONS} operations, not ${stored.length}.` },
    ]);
  const bytes = Buffer.byteLength(JSON.stringify(stored));
  if (bytes > MAX_STORED_BYTES)
    throw badData([
      { message: `The operations in a change may have at most ${MAX_STORED_BYTES} bytes, not ${bytes}.` },
    ]);
}

/** A lock that is not free ends the transaction. The smallest timeout of PostgreSQL: 0 would wait forever. */
const stopWaiting = (tx: Tx) => sql`set local lock_timeout = '1ms'`.execute(tx);

/** The counters of environments are the last locks of all changes, so waiting for them is safe. */
const waitAgain = (tx: Tx) => sql`set local lock_timeout to default`.execute(tx);

function prepare(app: App, { operation, input }: StoredOperation): Step {
  const command = app.operations.get(operation);
  if (command?.kind !== 'command') throw notFound(`Operation "${operation}"`);
  const whole = { params: {}, query: {}, body: undefined, ...input };
  validateInput(app, command, whole);
  return { command, input: whole };
}

/** Rejects an input that the schemas of the operation do not accept. */
export function validateInput(app: App, { route, ...operation }: Operation, input: Step['input']): void {
  const [method = '', url = ''] = route.split(' ');
  const details = (['params', 'query', 'body'] as const).flatMap(part => {
    const schema = operation[part];
    if (schema === undefined) return [];
    const httpPart = part === 'query' ? 'querystring' : part;
    const isValid = app.validatorCompiler?.({ schema, method, url, httpPart });
    if (isValid?.(input[part]) === true) return [];
    return violations((isValid as { errors?: Parameters<typeof violations>[0] })?.errors ?? [], httpPart);
  });
  if (details.length > 0) throw badData(details);
}

async function inOrder<T, R>(items: T[], work: (item: T, at: number) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const [at, item] of items.entries()) results.push(await work(item, at));
  return results;
}
