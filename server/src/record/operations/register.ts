import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { either } from '../../../../plane/src/platform/errors.ts';
import type { App } from '../../../../plane/src/platform/http/app.ts';
import { type ErrorStatus, errorResponses } from '../../../../plane/src/platform/http/schema.ts';
import type { Db } from '../../platform/db/database.ts';
import { ifMatches, unlessKnown } from '../../platform/http/output/etag.ts';
import type { Instance } from '../../platform/instance.ts';
import { change } from '../change.ts';
import { etagOf } from '../versioned.ts';
import type { AnyCommand, AnyQuery, Operation, OperationModule } from './definition.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** The registered operations by id. */
    operations: Map<string, Operation>;
  }
}

/** Turns the operations of a module into routes. */
export function registerOperations(
  app: App,
  db: Db,
  instance: Instance,
  { tag, schemas, operations }: OperationModule,
): void {
  if (!app.hasDecorator('operations')) app.decorate('operations', new Map());
  for (const schema of schemas) app.addSchema(schema);
  for (const operation of operations) {
    app.operations.set(operation.id, operation);
    const { bodyLimit, route } = operation;
    const [method = '', url = ''] = route.split(' ');
    app.route({
      method,
      url,
      ...(bodyLimit !== undefined && { bodyLimit }),
      config: configOf(operation, db, instance),
      schema: schemaOf(operation, tag),
      handler: (request, reply) =>
        operation.kind === 'query'
          ? read(operation, db, instance, request, reply)
          : run(operation, db, instance, request, reply),
    });
  }
}

function configOf(operation: Operation, db: Db, instance: Instance): NonNullable<RouteOptions['config']> {
  const {
    permission,
    checkedPermission,
    checksPermissions,
    checks,
    cost,
    rejectUnknownFields,
    ignoredPaths,
    hint,
    returnsSecret,
  } = operation;
  const isQuery = operation.kind === 'query';
  return {
    permission,
    ...(checkedPermission && { checkedPermission }),
    ...(checksPermissions && { checksPermissions }),
    ...(checks && { checks: checks.map(check => input => check(input, db, instance)) }),
    ...(cost !== undefined && { cost }),
    ...(rejectUnknownFields && { rejectUnknownFields }),
    ...(ignoredPaths && { ignoredPaths }),
    ...(hint && { hint }),
    ...(returnsSecret && { returnsSecret }),
    ...(isQuery && (operation.versioned || operation.etag) && { etag: true }),
    ...(!isQuery && operation.precondition && { ifMatch: true }),
    ...(isQuery && { isQuery }),
    ...(isQuery && operation.onlyReads && { onlyReads: true }),
    ...(!isQuery && operation.dryRun && { rejectCaseVariants: true }),
  };
}

function schemaOf(operation: Operation, tag: string): NonNullable<RouteOptions['schema']> {
  const { id, summary, params, query, body, output, status = 200 } = operation;
  const dryRun = operation.kind === 'command' ? operation.dryRun : undefined;
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: describe(operation),
    ...(params && { params }),
    ...(query && { querystring: query }),
    ...(body && { body }),
    response: {
      ...(dryRun && { 200: dryRun.output }),
      [status]: output,
      ...errorResponses(...errorsOf(operation)),
    },
  };
}

/** Permissions and events come from the definition, so the description always matches the operation. */
function describe(operation: Operation): string {
  const { description, permission, checkedPermission } = operation;
  const required = checkedPermission ?? (permission === 'NONE' ? [] : permission);
  const events = operation.kind === 'command' ? operation.events : [];
  return [
    description,
    ...(required.length > 0 ? [`Requires ${either([...required])}.`] : []),
    ...(events.length > 0 ? [`Events: ${events.join(', ')}.`] : []),
  ].join(' ');
}

function errorsOf({ params, query, body, rejects = [] }: Operation): ErrorStatus[] {
  const ofBody: ErrorStatus[] = body ? [400, 413, 415] : [];
  return [
    401,
    403,
    ...(query ? [400 as const] : []),
    ...(params ? [404 as const] : []),
    ...ofBody,
    ...rejects,
  ];
}

const inputOf = ({ params, query, body }: FastifyRequest) => ({ params, query, body });

const contextOf = (instance: Instance, { projectOfFeature, sessionId }: FastifyRequest) => ({
  ...instance,
  projectOfFeature,
  sessionId,
});

const readingOf = (db: Db, instance: Instance, request: FastifyRequest) => {
  const { actor, caller, visit } = request;
  return { ...contextOf(instance, request), db, actor, longReader: { caller, visit } };
};

async function read(
  { read, versioned, etag, present = shown => shown, status = 200 }: AnyQuery,
  db: Db,
  instance: Instance,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const shown = await read(readingOf(db, instance, request), inputOf(request));
  const output = present(shown);
  reply.code(status);
  const current = versioned ? etagOf(versioned, shown) : etag?.(output);
  return current === undefined ? reply.send(output) : unlessKnown(request, reply, current, output);
}

async function run(
  operation: AnyCommand,
  db: Db,
  instance: Instance,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const {
    run,
    respond = async (_tx, _actor, result) => result,
    precondition,
    dryRun,
    status = 200,
  } = operation;
  const { actor } = request;
  const [input, context] = [inputOf(request), contextOf(instance, request)];
  if (dryRun && isDryRun(request)) return await dryRun.read(readingOf(db, instance, request), input);
  const expected = precondition?.(input, context);
  const output = await change(
    db,
    actor,
    current => {
      const work = () => run(current, input, context);
      return expected ? ifMatches(request, expected.what, () => expected.readEtags(current), work) : work();
    },
    (tx, result) => respond(tx, actor, result, input),
  );
  return reply.code(status).send(output);
}

const isDryRun = ({ query }: FastifyRequest): boolean => (query as { dryRun?: string }).dryRun === 'true';
