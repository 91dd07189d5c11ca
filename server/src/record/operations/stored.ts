import { authorize } from '../../access/guard.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { badData, notFound } from '../../platform/errors.ts';
import type { App } from '../../platform/http/app.ts';
import { violations } from '../../platform/http/input/violations.ts';
import type { Instance } from '../../platform/instance.ts';
import { change } from '../change.ts';
import type { AnyCommand } from './definition.ts';

/** A command and its input as plain JSON, so that it can be stored and run later. */
export type StoredOperation = {
  operation: string;
  input: { params?: Record<string, string>; query?: Record<string, unknown>; body?: unknown };
};

type Step = { command: AnyCommand; input: Required<StoredOperation['input']> };

/**
 * Runs stored operations in one change, in their order: all of them, or none. Each is validated and authorized again, because schemas
 * and permissions may have changed since it was stored. Returns their responses.
 */
export async function runStored(
  app: App,
  db: Db,
  instance: Instance,
  actor: Actor,
  stored: StoredOperation[],
): Promise<unknown[]> {
  const steps = stored.map(one => prepare(app, one));
  return await change(
    db,
    actor,
    current =>
      inOrder(steps, async ({ command, input }) => {
        // Not before the change: an operation may need the project that the one before it creates.
        const projectOfFeature = (await authorize(current.tx, actor, command.permission, input.params)) ?? '';
        return await command.run(current, input, { ...instance, projectOfFeature, sessionId: null });
      }),
    (tx, results) =>
      inOrder(steps, async ({ command: { respond }, input }, at) =>
        respond ? await respond(tx, actor, results[at], input) : results[at],
      ),
  );
}

function prepare(app: App, { operation, input }: StoredOperation): Step {
  const command = app.operations.get(operation);
  if (command?.kind !== 'command') throw notFound(`Operation "${operation}"`);
  const whole = { params: {}, query: {}, body: undefined, ...input };
  validate(app, command, whole);
  return { command, input: whole };
}

/** Rejects an input that the schemas of the operation do not accept. */
function validate(app: App, { route, ...command }: AnyCommand, input: Step['input']): void {
  const [method = '', url = ''] = route.split(' ');
  const details = (['params', 'query', 'body'] as const).flatMap(part => {
    const schema = command[part];
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
