import {
  ApiError,
  badData,
  type ErrorName,
  MAX_LISTED,
  type Violation,
} from '@halyard/plane/platform/errors.ts';
import type { App } from '@halyard/plane/platform/http/app.ts';
import { describeViolations } from '@halyard/plane/platform/http/input/violations.ts';
import type { FastifyRequest } from 'fastify';
import type { Actor } from '../../actor.ts';
import { findUnknownNameViolations } from './ignored.ts';

/** The parts of a request that match its schemas. */
export type ValidInput = {
  params: Readonly<Record<string, string>>;
  query: Readonly<Record<string, unknown>>;
  /** The body without the fields that violate the schema. `never` makes the type assignable to a `Partial` of the schema type. */
  body: { readonly [field: string]: never };
  /** Names of the fields that were omitted from `body`, for a rule that only needs to know whether a field was given. */
  invalid: ReadonlySet<string>;
  /** Returns the objects of a list in the body without their invalid fields. Invalid items become {}, so indexes stay the same. */
  items: (field: string) => { readonly [field: string]: never }[];
  actor: Actor;
};

/** A rule that a schema cannot express. It throws what the operation itself would throw, or returns violations. */
export type Check = (input: ValidInput) => unknown;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Read-only rules of the operation. They run after a validation error, so that one response lists every violation. */
    checks?: Check[];
  }
  interface FastifyRequest {
    /** Whether the caller is known and the body parsed, so that schemas and rules can be applied. */
    isReadyForChecks: boolean;
  }
}

const RULE_ERRORS: ReadonlySet<string> = new Set<ErrorName>([
  'BadDataError',
  'PatternError',
  'ExceedsLimitError',
]);
/** Errors that are only about the request, so that other violations can be added to them. */
const EXTENDABLE_ERRORS: ReadonlySet<string> = new Set<ErrorName>(['BadDataError', 'PatternError']);
/** The last item of a truncated list. */
const MORE_ITEMS = /^and (\d+) more$/;
const PARTS = ['params', 'querystring', 'body', 'headers'] as const;

export function installChecks(app: App): void {
  app.decorateRequest('isReadyForChecks', false);
  app.addHook('preValidation', async request => {
    request.isReadyForChecks = true;
  });
}

/**
 * Collects every violation of a rejected request. Fastify stops at the first part of a request that violates its schema, and an
 * operation stops at the first rule that fails, so a caller would fix one violation only to get the next one. Therefore every part
 * of a rejected request is checked against its schema, and what the schemas accept is then checked against the operation's rules.
 * An accepted request costs nothing extra.
 */
export async function collectViolations(request: FastifyRequest, error: ApiError): Promise<ApiError> {
  if (!request.isReadyForChecks || !EXTENDABLE_ERRORS.has(error.name)) return error;
  const errors = PARTS.flatMap(part => validatePart(request, part));
  const schemaViolations = errors.flatMap(({ part, schemaErrors }) => describeViolations(schemaErrors, part));
  const unknownNames = findUnknownNameViolations(request);
  const ruleViolations = await findAllRuleViolations(request, schemaViolations);
  const thrownViolations = error.details.filter(({ message }) => !MORE_ITEMS.test(message));
  const knownViolations = [...schemaViolations, ...unknownNames, ...thrownViolations];
  // The operation knows more than its checks, so where both report the same field, its message wins.
  const knownPaths = new Set(knownViolations.map(({ path }) => path));
  const newViolations = ruleViolations.filter(({ path }) => path === undefined || !knownPaths.has(path));
  const allViolations = removeDuplicates([...knownViolations, ...newViolations]);
  // No other violation was found, and the operation's own message says more than a count.
  if (allViolations.length === thrownViolations.length) return error;
  const { message, details } = badData(
    allViolations,
    allViolations.length + countOmitted(error, errors, schemaViolations),
  );
  return new ApiError(error.name, message, { details, cause: error.cause });
}

/** Returns how many violations there are beyond those that were described. */
function countOmitted(
  error: ApiError,
  errors: { schemaErrors: unknown[] }[],
  described: Violation[],
): number {
  if (errors.length > 0)
    return errors.reduce((sum, { schemaErrors }) => sum + schemaErrors.length, 0) - described.length;
  return Number(MORE_ITEMS.exec(error.details.at(-1)?.message ?? '')?.[1] ?? 0);
}

function validatePart(request: FastifyRequest, part: (typeof PARTS)[number]) {
  const validate = request.getValidationFunction(part);
  const value = part === 'querystring' ? request.query : request[part];
  return validate === undefined || validate(value) ? [] : [{ part, schemaErrors: validate.errors ?? [] }];
}

async function findAllRuleViolations(
  request: FastifyRequest,
  schemaViolations: Violation[],
): Promise<Violation[]> {
  const { checks = [] } = request.routeOptions.config;
  if (checks.length === 0) return [];
  const input = selectValidInput(request, schemaViolations);
  if (input === undefined) return [];
  const results = await Promise.all(checks.map(check => findRuleViolations(request, check, input)));
  const paths = new Set(schemaViolations.map(({ path }) => path));
  const isAboutInvalid = ({ path = '' }: Violation) => {
    const [, part, field = '', index = ''] = path.split('/');
    // An invalid list is omitted from `body`, so a rule about one of its items used `items`, which has only valid fields.
    const isAboutItem = /^\d+$/.test(index) && !paths.has(path);
    return part === 'body' && input.invalid.has(field) && !isAboutItem;
  };
  return results.flat().filter(violation => !isAboutInvalid(violation));
}

/** Returns undefined if the body as a whole violates the schema. */
function selectValidInput(request: FastifyRequest, schemaViolations: Violation[]): ValidInput | undefined {
  const invalidNames = (part: string) =>
    new Set(
      schemaViolations.flatMap(({ path = '' }) =>
        path.startsWith(`/${part}/`) ? [path.split('/')[2] ?? ''] : [],
      ),
    );
  const invalid = invalidNames('body');
  if (schemaViolations.some(({ path }) => path === '/body')) return undefined;
  return {
    params: omitFields(request.params, invalidNames('params')),
    query: omitFields(request.query, invalidNames('query')),
    body: omitFields(request.body, invalid),
    invalid,
    items: field => selectValidItems(request.body, field, schemaViolations),
    actor: request.actor,
  };
}

function selectValidItems(
  body: unknown,
  field: string,
  schemaViolations: Violation[],
): Record<string, never>[] {
  const list = (body as Record<string, unknown> | null)?.[field];
  const paths = schemaViolations.flatMap(({ path = '' }) => path);
  // If the list of violations was truncated, it is unknown which other fields are invalid.
  if (!Array.isArray(list) || paths.includes(`/body/${field}`) || paths.length >= MAX_LISTED) return [];
  return list.map((item, index) => {
    const itemPath = `/body/${field}/${index}`;
    if (paths.includes(itemPath)) return {};
    const invalidNames = paths
      .filter(path => path.startsWith(`${itemPath}/`))
      .map(path => path.split('/')[4] ?? '');
    return omitFields(item, new Set(invalidNames));
  });
}

function omitFields<T>(value: unknown, names: ReadonlySet<string>): Record<string, T> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.has(name)));
}

async function findRuleViolations(
  request: FastifyRequest,
  check: Check,
  input: ValidInput,
): Promise<Violation[]> {
  try {
    const violations = await check(input);
    return Array.isArray(violations) ? violations : [];
  } catch (error) {
    if (error instanceof ApiError) return RULE_ERRORS.has(error.name) ? error.details : [];
    // The response lists the violations found so far. The cause is either a bug or a database that does not respond.
    request.log.error({ err: error }, 'validation check failed');
    return [];
  }
}

function removeDuplicates(violations: Violation[]): Violation[] {
  return [
    ...new Map(violations.map(violation => [`${violation.path} ${violation.message}`, violation])).values(),
  ];
}
