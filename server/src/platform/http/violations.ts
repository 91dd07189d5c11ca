import type { FastifySchemaValidationError } from 'fastify';
import { MAX_LISTED, type Violation } from '../errors.ts';

/** A schema says here in words what its pattern says in symbols. */
export const RULE = 'x-rule';

const PARTS: Record<string, string> = {
  querystring: 'query',
  params: 'params',
  body: 'body',
  headers: 'headers',
};

/** Says in our own words what the validator found: the first violations, each with a pointer to its place. */
export function violations(errors: FastifySchemaValidationError[], context: string | undefined): Violation[] {
  const part = PARTS[context ?? 'body'] ?? 'body';
  return errors.slice(0, MAX_LISTED).map(error => {
    const missing = error.keyword === 'required' ? `/${error.params.missingProperty}` : '';
    const extra = error.keyword === 'additionalProperties' ? `/${error.params.additionalProperty}` : '';
    const path = `/${part}${error.instancePath}${missing}${extra}`;
    const what = path.split('/').slice(2).join('.') || `the ${part}`;
    return { message: `${what} ${phrase(error)}`, path };
  });
}

function phrase(error: FastifySchemaValidationError): string {
  const { keyword, params, message } = error;
  const rule = (error as { parentSchema?: { [RULE]?: string } }).parentSchema?.[RULE];
  switch (keyword) {
    case 'required':
      return 'is required';
    case 'additionalProperties':
      return 'is not known here';
    case 'type':
      return `must be ${[params.type].flat().map(withArticle).join(' or ')}`;
    case 'minLength':
      return params.limit === 1 ? 'must not be empty' : `must have at least ${params.limit} characters`;
    case 'maxLength':
      return `must have at most ${params.limit} characters`;
    case 'enum':
      return `must be one of ${list(params.allowedValues)}`;
    case 'minimum':
      return `must be at least ${params.limit}`;
    case 'maximum':
      return `must be at most ${params.limit}`;
    case 'minItems':
      return `must have at least ${params.limit} items`;
    case 'maxItems':
      return `must have at most ${params.limit} items`;
    case 'maxProperties':
      return `must have at most ${params.limit} members`;
    case 'propertyNames':
      return `has a name that is not allowed: ${String(params.propertyName).slice(0, 100)}`;
    case 'format':
      return `must be ${withArticle(params.format)}${params.format === 'date-time' ? ', such as 2026-11-15T09:30:00.000Z' : ''}`;
    case 'pattern':
      return rule ?? `must match ${params.pattern}`;
    default:
      return message ?? 'is not valid';
  }
}

const withArticle = (type: unknown): string =>
  type === 'null' ? 'null' : `${/^[aeio]/.test(String(type)) ? 'an' : 'a'} ${type}`;

const list = (value: unknown): string => (Array.isArray(value) ? value.join(', ') : String(value));
