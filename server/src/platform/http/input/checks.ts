import type { FastifyRequest } from 'fastify';
import {
  ApiError,
  badData,
  type ErrorName,
  MAX_LISTED,
  type Violation,
} from '../../../../../plane/src/platform/errors.ts';
import type { App } from '../../../../../plane/src/platform/http/app.ts';
import { violations } from '../../../../../plane/src/platform/http/input/violations.ts';
import type { Actor } from '../../actor.ts';
import { unknownNameViolations } from './ignored.ts';

/** The parts of a request that its schemas accept. */
export type ValidInput = {
  params: Readonly<Record<string, string>>;
  query: Readonly<Record<string, unknown>>;
  /** Without the fields that violate the schema. `never` makes it assignable to a `Partial` of the schema type. */
  body: { readonly [field: string]: never };
  /** Names of the fields that were omitted from `body`, for a rule that only needs to know whether a field was given. */
  invalid: ReadonlySet<string>;
  /** The objects of a list in the body, each without the fields that violate the schema, so that indexes stay the same. */
  items: (field: string) => { readonly [field: string]: never }[];
  actor: Actor;
};

/** A rule that a schema cannot express. It throws what the operation itself would throw, or returns violations. */
export type Check = (input: ValidInput) => unknown;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Rules of the operation that only read. They run after a validation error, so that one response lists everything. */
    checks?: Check[];
  }
  interface FastifyRequest {
    /** Whether the caller is known and the body parsed, so that schemas and rules can be applied. */
    isRead: boolean;
  }
}

const RULES_BROKEN: ReadonlySet<string> = new Set<ErrorName>([
  'BadDataError',
  'PatternError',
  'ExceedsLimitError',
]);
/** Errors that say something about the request alone, and to which other violations can be added. */
const EXAMINED: ReadonlySet<string> = new Set<ErrorName>(['BadDataError', 'PatternError']);
/** The last item of a list that was cut. */
const MORE = /^and (\d+) more$/;
const PARTS = ['params', 'querystring', 'body', 'headers'] as const;

export function installChecks(app: App): void {
  app.decorateRequest('isRead', false);
  app.addHook('preValidation', async request => {
    request.isRead = true;
  });
}

/**
 * Fastify stops at the first part of a request that violates its schema, and an operation at its first rule. A caller would fix
 * one violation only to get the next one. So a rejected request is examined completely: every part by its schema, then the rules
 * of the operation on what the schemas accept. A request that is accepted pays nothing for it.
 */
export async function everyViolation(request: FastifyRequest, error: ApiError): Promise<ApiError> {
  if (!request.isRead || !EXAMINED.has(error.name)) return error;
  const errors = PARTS.flatMap(part => schemaErrors(request, part));
  const bySchema = errors.flatMap(({ part, found }) => violations(found, part));
  const notKnown = unknownNameViolations(request);
  const byRule = await violationsOfRules(request, bySchema);
  const thrown = error.details.filter(({ message }) => !MORE.test(message));
  const before = [...bySchema, ...notKnown, ...thrown];
  // The operation knows more than its checks: where both report the same field, its message wins.
  const places = new Set(before.map(({ path }) => path));
  const others = byRule.filter(({ path }) => path === undefined || !places.has(path));
  const all = unique([...before, ...others]);
  // Nothing to add: an operation's own message says more than a count.
  if (all.length === thrown.length) return error;
  const { message, details } = badData(all, all.length + notListed(error, errors, bySchema));
  return new ApiError(error.name, message, { details, cause: error.cause });
}

/** Violations that were counted but not described. */
function notListed(error: ApiError, errors: { found: unknown[] }[], bySchema: Violation[]): number {
  if (errors.length > 0) return errors.reduce((sum, { found }) => sum + found.length, 0) - bySchema.length;
  return Number(MORE.exec(error.details.at(-1)?.message ?? '')?.[1] ?? 0);
}

function schemaErrors(request: FastifyRequest, part: (typeof PARTS)[number]) {
  const validate = request.getValidationFunction(part);
  const value = part === 'querystring' ? request.query : request[part];
  return validate === undefined || validate(value) ? [] : [{ part, found: validate.errors ?? [] }];
}

async function violationsOfRules(request: FastifyRequest, bySchema: Violation[]): Promise<Violation[]> {
  const { checks = [] } = request.routeOptions.config;
  if (checks.length === 0) return [];
  const input = validInput(request, bySchema);
  if (input === undefined) return [];
  const results = await Promise.all(checks.map(check => violationsOfRule(request, check, input)));
  const paths = new Set(bySchema.map(({ path }) => path));
  const isAboutInvalid = ({ path = '' }: Violation) => {
    const [, part, field = '', index = ''] = path.split('/');
    // An invalid list is missing from the body, so a rule about one of its items has only seen the item's valid fields.
    const isAboutItem = /^\d+$/.test(index) && !paths.has(path);
    return part === 'body' && input.invalid.has(field) && !isAboutItem;
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
    items: field => validItems(request.body, field, bySchema),
    actor: request.actor,
  };
}

function validItems(body: unknown, field: string, bySchema: Violation[]): Record<string, never>[] {
  const list = (body as Record<string, unknown> | null)?.[field];
  const paths = bySchema.flatMap(({ path = '' }) => path);
  // The violations that were cut from a list are unknown.
  if (!Array.isArray(list) || paths.includes(`/body/${field}`) || paths.length >= MAX_LISTED) return [];
  return list.map((item, at) => {
    const here = `/body/${field}/${at}`;
    if (paths.includes(here)) return {};
    const broken = paths.filter(path => path.startsWith(`${here}/`)).map(path => path.split('/')[4] ?? '');
    return without(item, new Set(broken));
  });
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
    if (error instanceof ApiError) return RULES_BROKEN.has(error.name) ? error.details : [];
    // The violations found so far are the response. This error is either a bug or a database that does not respond.
    request.log.error({ err: error }, 'validation check failed');
    return [];
  }
}

function unique(all: Violation[]): Violation[] {
  return [...new Map(all.map(one => [`${one.path} ${one.message}`, one])).values()];
}
