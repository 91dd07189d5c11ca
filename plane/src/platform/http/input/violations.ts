import type { FastifySchemaValidationError } from 'fastify';
import { formatCount, joinWithOr, MAX_LISTED, type Violation } from '../../errors.ts';
import { truncate } from '../../text.ts';
import { unknownName } from './unknown-name.ts';

/** The schema keyword that describes a pattern in words. Error messages use it instead of the pattern. */
export const RULE = 'x-rule';

const NAME_CHARACTERS = "must contain only letters, digits and - _ . ! ~ * ' ( ), and must not be ";

/** The rule for names in URLs, which must not be one of these reserved words. */
export const nameRule = (reservedNames: readonly string[]): string =>
  `${NAME_CHARACTERS}${joinWithOr(reservedNames.map(word => `"${word}"`))}`;

/** Messages quote names. A value that breaks any other rule may be a secret, so its message does not quote it. */
const isNameRule = (rule: string | undefined): boolean => rule?.startsWith(NAME_CHARACTERS) ?? false;

const PARTS: Record<string, string> = {
  querystring: 'query',
  params: 'params',
  body: 'body',
  headers: 'headers',
};

/** Describes in our own words what the validator found: the first violations, each with a pointer to its position. */
export function describeViolations(
  errors: FastifySchemaValidationError[],
  context: string | undefined,
): Violation[] {
  const part = PARTS[context ?? 'body'] ?? 'body';
  return errors.slice(0, MAX_LISTED).map(error => {
    const missing = error.keyword === 'required' ? `/${error.params.missingProperty}` : '';
    const extra = error.keyword === 'additionalProperties' ? `/${error.params.additionalProperty}` : '';
    const path = `/${part}${error.instancePath}${missing}${extra}`;
    const field = path.split('/').slice(2).join('.') || `the ${part}`;
    if (error.keyword === 'additionalProperties')
      return { message: unknownName(part, field, knownFields(error)), path };
    return { message: `${field} ${describeError(error)}`, path };
  });
}

/** The fields that the validator adds to its errors: the value, and the schema that rejects it. */
type RejectedValue = { data?: unknown; parentSchema?: { [RULE]?: string; properties?: object } };

const knownFields = (error: FastifySchemaValidationError): string[] =>
  Object.keys((error as RejectedValue).parentSchema?.properties ?? {});

function describeError(error: FastifySchemaValidationError): string {
  const { keyword, params, message } = error;
  const { data, parentSchema } = error as RejectedValue;
  const rule = parentSchema?.[RULE];
  switch (keyword) {
    case 'required':
      return 'is required';
    case 'type':
      return `must be ${[params.type].flat().map(withArticle).join(' or ')}`;
    case 'minLength':
      return params.limit === 1
        ? 'must not be empty'
        : `must have at least ${formatCount(Number(params.limit), 'character')}`;
    case 'maxLength':
      return `must have at most ${formatCount(Number(params.limit), 'character')}`;
    case 'enum':
      return `must be one of ${joinList(params.allowedValues)}`;
    case 'minimum':
      return `must be at least ${params.limit}`;
    case 'maximum':
      return `must be at most ${params.limit}`;
    case 'minItems':
      return `must have at least ${formatCount(Number(params.limit), 'item')}`;
    case 'maxItems':
      return `must have at most ${formatCount(Number(params.limit), 'item')}`;
    case 'maxProperties':
      return `must have at most ${formatCount(Number(params.limit), 'field')}`;
    case 'propertyNames':
      return `must not contain the name "${truncate(String(params.propertyName), 100)}"`;
    case 'format':
      return `must be ${withArticle(params.format)}${params.format === 'date-time' ? ', such as 2026-11-15T09:30:00.000Z' : ''}`;
    case 'pattern':
      if (isNameRule(rule)) return `"${truncate(String(data), 100)}" ${rule}`;
      return rule ?? `must match the pattern ${params.pattern}`;
    default:
      return message ?? 'is invalid';
  }
}

const withArticle = (type: unknown): string =>
  type === 'null' ? 'null' : `${/^[aeio]/.test(String(type)) ? 'an' : 'a'} ${type}`;

const joinList = (value: unknown): string => (Array.isArray(value) ? value.join(', ') : String(value));
