import { joinWithOr } from '@halyard/plane/platform/errors.ts';
import type { App } from '@halyard/plane/platform/http/app.ts';
import { type ErrorStatus, errorResponses, Nothing } from '@halyard/plane/platform/http/schema.ts';
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { Db } from '../../platform/db/database.ts';
import { runIfMatches, sendUnlessNotModified } from '../../platform/http/output/etag.ts';
import type { Instance } from '../../platform/instance.ts';
import { change } from '../change.ts';
import { computeEtag } from '../versioned.ts';
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
      config: buildConfig(operation, db, instance),
      schema: buildSchema(operation, tag),
      handler: (request, reply) =>
        operation.kind === 'query'
          ? respondToQuery(operation, db, instance, request, reply)
          : runCommand(operation, db, instance, request, reply),
    });
  }
}

function buildConfig(operation: Operation, db: Db, instance: Instance): NonNullable<RouteOptions['config']> {
  const {
    permission,
    checkedPermission,
    checksPermissions,
    checks,
    cost,
    rejectUnknownFieldsExcept,
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
    ...(rejectUnknownFieldsExcept && { rejectUnknownFieldsExcept }),
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

function buildSchema(operation: Operation, tag: string): NonNullable<RouteOptions['schema']> {
  const { id, summary, params, query, body, output = Nothing, status = 200 } = operation;
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
      ...errorResponses(...listErrorStatuses(operation)),
    },
  };
}

/** Permissions and events come from the definition, so the description always matches the operation. */
function describe(operation: Operation): string {
  const { description, permission, checkedPermission } = operation;
  const requiredPermissions = checkedPermission ?? (permission === 'NONE' ? [] : permission);
  const events = operation.kind === 'command' ? operation.events : [];
  return [
    description,
    ...(requiredPermissions.length > 0 ? [`Requires ${joinWithOr([...requiredPermissions])}.`] : []),
    ...(events.length > 0 ? [`Events: ${events.join(', ')}.`] : []),
  ].join(' ');
}

function listErrorStatuses({ params, query, body, rejects = [] }: Operation): ErrorStatus[] {
  const bodyErrors: ErrorStatus[] = body ? [400, 413, 415] : [];
  return [
    401,
    403,
    ...(query ? [400 as const] : []),
    ...(params ? [404 as const] : []),
    ...bodyErrors,
    ...rejects,
  ];
}

const getInput = ({ params, query, body }: FastifyRequest) => ({ params, query, body });

const buildContext = (instance: Instance, { projectOfFeature, sessionId }: FastifyRequest) => ({
  ...instance,
  projectOfFeature,
  sessionId,
});

const buildReadContext = (db: Db, instance: Instance, request: FastifyRequest) => {
  const { actor, caller, visit } = request;
  return { ...buildContext(instance, request), db, actor, longReader: { caller, visit } };
};

async function respondToQuery(
  { read, versioned, etag, present = view => view, status = 200 }: AnyQuery,
  db: Db,
  instance: Instance,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const view = await read(buildReadContext(db, instance, request), getInput(request));
  const output = present(view);
  reply.code(status);
  const currentEtag = versioned ? computeEtag(versioned, view) : etag?.(output);
  return currentEtag === undefined
    ? reply.send(output)
    : sendUnlessNotModified(request, reply, currentEtag, output);
}

async function runCommand(
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
  const [input, context] = [getInput(request), buildContext(instance, request)];
  if (dryRun && isDryRun(request)) return await dryRun.read(buildReadContext(db, instance, request), input);
  const expectedState = precondition?.(input, context);
  const output = await change(
    db,
    actor,
    current => {
      const work = () => run(current, input, context);
      return expectedState
        ? runIfMatches(request, expectedState.resourceName, () => expectedState.readEtags(current), work)
        : work();
    },
    (tx, result) => respond(tx, actor, result, input),
  );
  return reply.code(status).send(output);
}

const isDryRun = ({ query }: FastifyRequest): boolean => (query as { dryRun?: string }).dryRun === 'true';
