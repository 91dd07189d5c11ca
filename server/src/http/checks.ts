import type { FastifyRequest } from 'fastify';
import type { Actor } from '../actor.ts';
import { ApiError, type Violation } from '../errors.ts';
import type { App } from './app.ts';
import { ignoredViolations, isStrict } from './ignored.ts';
import { violations } from './violations.ts';

/** The parts of a request that its schemas accept. */
export type ValidInput = {
  params: Readonly<Record<string, string>>;
  query: Readonly<Record<string, unknown>>;
  /** Without the fields that break the schema. `never` lets it pass as a `Partial` of whatever the schema describes. */
  body: { readonly [field: string]: never };
  /** Names of the fields that were left out of `body`, for a rule that only asks whether a field was given. */
  invalid: ReadonlySet<string>;
  actor: Actor;
};

/** A rule that a schema cannot express. It throws what the operation itself would throw, or returns violations. */
export type Check = (input: ValidInput) => unknown;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Rules of the operation that read at most. They run after a validation error, so that one response lists everything. */
    checks?: Check[];
  }
  interface FastifyRequest {
    /** Whether the caller is known and the body parsed, so that schemas and rules can be applied. */
    isRead: boolean;
  }
}

const MAX_LISTED = 100;
const PARTS = ['params', 'querystring', 'body', 'headers'] as const;

export function installChecks(app: App): void {
  app.decorateRequest('isRead', false);
  app.addHook('preValidation', async request => {
    request.isRead = true;
  });
}

/**
 * Fastify stops at the first part of a request that breaks its schema, and an operation at its first rule. A caller would
 * fix one violation only to meet the next. So a rejected request is examined completely: every part by its schema, then
 * the rules of the operation on what the schemas accept. A request that is accepted pays nothing for it.
 */
export async function everyViolation(request: FastifyRequest, found: Violation[]): Promise<Violation[]> {
  if (!request.isRead) return found;
  const bySchema = PARTS.flatMap(part => violationsOfPart(request, part));
  const notKnown = isStrict(request) ? ignoredViolations(request.ignored) : [];
  const byRule = await violationsOfRules(request, bySchema);
  return listed([...bySchema, ...notKnown, ...found, ...byRule]);
}

function violationsOfPart(request: FastifyRequest, part: (typeof PARTS)[number]): Violation[] {
  const validate = request.getValidationFunction(part);
  if (validate === undefined) return [];
  const value = part === 'querystring' ? request.query : request[part];
  return validate(value) ? [] : violations(validate.errors ?? [], part);
}

async function violationsOfRules(request: FastifyRequest, bySchema: Violation[]): Promise<Violation[]> {
  const { checks = [] } = request.routeOptions.config;
  if (checks.length === 0) return [];
  const input = validInput(request, bySchema);
  if (input === undefined) return [];
  const results = await Promise.all(checks.map(check => violationsOfRule(request, check, input)));
  const isAboutInvalid = ({ path = '' }: Violation) => {
    const [, part, field = ''] = path.split('/');
    return (part === 'body' && input.invalid.has(field)) || bySchema.some(one => one.path === path);
  };
  return results.flat().filter(violation => !isAboutInvalid(violation));
}

/** Undefined if the body as a whole is not what the schema describes. */
function validInput(request: FastifyRequest, bySchema: Violation[]): ValidInput | undefined {
  const broken = (part: string) =>
    new Set(
      bySchema.flatMap(({ path = '' }) => (path.startsWith(`/${part}/`) ? [path.split('/')[2] ?? ''] : [])),
    );
  const invalid = broken('body');
  if (bySchema.some(({ path }) => path === '/body')) return undefined;
  return {
    params: without(request.params, broken('params')),
    query: without(request.query, broken('query')),
    body: without(request.body, invalid),
    invalid,
    actor: request.actor,
  };
}

function without<T>(value: unknown, names: ReadonlySet<string>): Record<string, T> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.has(name)));
}

async function violationsOfRule(
  request: FastifyRequest,
  check: Check,
  input: ValidInput,
): Promise<Violation[]> {
  try {
    const returned = await check(input);
    return Array.isArray(returned) ? returned : [];
  } catch (error) {
    if (error instanceof ApiError) return error.name === 'BadDataError' ? error.details : [];
    // The violations that are already found are the response; this one is a bug or a database that does not respond.
    request.log.error({ err: error }, 'validation check failed');
    return [];
  }
}

function listed(all: Violation[]): Violation[] {
  const keys = all.map(({ message, path }) => `${path} ${message}`);
  const unique = all.filter((_, at) => keys.indexOf(keys[at] ?? '') === at);
  const more = unique.length - MAX_LISTED;
  return more > 0 ? [...unique.slice(0, MAX_LISTED), { message: `and ${more} more` }] : unique;
}
