import { badData, notFound } from '@halyard/plane/platform/errors.ts';
import type { App } from '@halyard/plane/platform/http/app.ts';
import { describeViolations } from '@halyard/plane/platform/http/input/violations.ts';
import { sql } from 'kysely';
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

/** The same as the maximum body size of most requests. */
export const MAX_STORED_BYTES = 1_048_576;

/** Hooks that run around a change of stored operations. */
export type OperationHooks = {
  /** Runs before the first operation. The hook takes locks, so no operation after it may wait for a lock. */
  beforeRun?: (current: Change) => Promise<void>;
  /**
   * Runs after the events are written and before the commit, instead of reading the responses. If it throws, nothing is changed.
   */
  afterEvents?: (tx: Tx) => Promise<void>;
};

type Step = { command: AnyCommand; input: Required<StoredOperation['input']> };

/**
 * Runs stored operations in order, in one change, so that either all of them or none take effect. Each operation is validated and
 * authorized again, because schemas and permissions may have changed since it was stored. Returns the responses. Each operation
 * takes its locks in the order of `platform/db/lock-order.ts`, but a later operation may need a lock that comes before those of an
 * earlier one. Later operations do not wait for locks, so the change ends with a retryable 503 instead of a deadlock.
 */
export async function runStoredOperations(
  app: App,
  db: Db,
  instance: Instance,
  actor: Actor,
  operations: StoredOperation[],
  { beforeRun, afterEvents }: OperationHooks = {},
): Promise<unknown[]> {
  rejectTooMany(operations);
  const steps = operations.map(operation => prepare(app, operation));
  return await change(
    db,
    actor,
    async current => {
      await beforeRun?.(current);
      return await runAll(current, steps, instance, beforeRun !== undefined);
    },
    async (tx, results) => {
      if (!afterEvents)
        return await mapInOrder(steps, async ({ command: { respond }, input }, index) =>
          respond ? await respond(tx, actor, results[index], input) : results[index],
        );
      await afterEvents(tx);
      return results;
    },
  );
}

async function runAll(
  current: Change,
  steps: Step[],
  instance: Instance,
  holdsLocks: boolean,
): Promise<unknown[]> {
  const { tx, actor } = current;
  const results = await mapInOrder(steps, async ({ command, input }, index) => {
    if (index === (holdsLocks ? 0 : 1)) await stopWaitingForLocks(tx);
    // The permission is not checked before the change, because an operation may need a project that the previous one creates.
    const { route, permission, checkedPermission, checksPermissions } = command;
    const [, url = ''] = route.split(' ');
    requireRouteInScope(actor, { url, permission, checkedPermission, checksPermissions, onlyReads: false });
    const projectOfFeature = (await authorize(tx, actor, command.permission, input.params)) ?? '';
    return await command.run(current, input, { ...instance, projectOfFeature, sessionId: null });
  });
  if (steps.length > 1 || holdsLocks) await resumeWaitingForLocks(tx);
  return results;
}

function rejectTooMany(operations: StoredOperation[]): void {
  if (operations.length > MAX_STORED_OPERATIONS)
    throw badData([
      { message: `A change can have at most ${MAX_STORED_OPERATIONS} operations, not ${operations.length}.` },
    ]);
  const bytes = Buffer.byteLength(JSON.stringify(operations));
  if (bytes > MAX_STORED_BYTES)
    throw badData([
      { message: `The operations in a change can have at most ${MAX_STORED_BYTES} bytes, not ${bytes}.` },
    ]);
}

/**
 * Makes the transaction fail instead of waiting for a lock. The timeout is the shortest that PostgreSQL allows, because 0 would
 * mean waiting forever.
 */
const stopWaitingForLocks = (tx: Tx) => sql`set local lock_timeout = '1ms'`.execute(tx);

/**
 * Makes the transaction wait for locks again. Environment counters are the last locks that any change takes, so waiting for them is
 * safe.
 */
const resumeWaitingForLocks = (tx: Tx) => sql`set local lock_timeout to default`.execute(tx);

function prepare(app: App, { operation, input }: StoredOperation): Step {
  const command = app.operations.get(operation);
  if (command?.kind !== 'command') throw notFound(`Operation "${operation}"`);
  const fullInput = { params: {}, query: {}, body: undefined, ...input };
  validateInput(app, command, fullInput);
  return { command, input: fullInput };
}

/** Rejects an input that the schemas of the operation do not accept. */
export function validateInput(app: App, { route, ...operation }: Operation, input: Step['input']): void {
  const [method = '', url = ''] = route.split(' ');
  const details = (['params', 'query', 'body'] as const).flatMap(part => {
    const schema = operation[part];
    if (schema === undefined) return [];
    const httpPart = part === 'query' ? 'querystring' : part;
    const validate = app.validatorCompiler?.({ schema, method, url, httpPart });
    if (validate?.(input[part]) === true) return [];
    return describeViolations(
      (validate as { errors?: Parameters<typeof describeViolations>[0] })?.errors ?? [],
      httpPart,
    );
  });
  if (details.length > 0) throw badData(details);
}

async function mapInOrder<T, R>(items: T[], work: (item: T, index: number) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const [index, item] of items.entries()) results.push(await work(item, index));
  return results;
}
