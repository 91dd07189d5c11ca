import { EVENT_TYPE_LIST } from '../record/events/event-types.ts';
import { readApiDocument } from './api-document.ts';

type Schema = Record<string, unknown>;
type Parameter = { name: string; in: 'path' | 'query' | 'header'; schema: Schema };
type DescribedOperation = {
  operationId: string;
  summary: string;
  description: string;
  tags?: string[];
  security?: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { content: { 'application/json': { schema: Schema; example?: unknown } } };
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
  'x-permission'?: 'NONE' | string[];
  'x-returns-secret'?: boolean;
};

export type Operation = {
  id: string;
  summary: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  /** Undefined if the operation is public. */
  permission: 'NONE' | string[] | undefined;
  /** The types of the events that the operation can record. */
  events: string[];
  /** Whether the operation requires an API token for SDKs. */
  sdkToken: boolean;
  edgeToken: boolean;
  /** Whether the operation is for SDKs, which authenticate with API tokens. */
  isForSdks: boolean;
  /** Whether the response contains a secret. */
  returnsSecret: boolean;
  parameters: Parameter[];
  bodySchema: Schema | undefined;
  /** The documented example, which the operation accepts. */
  body: unknown;
  statuses: number[];
  /** Successful statuses whose response has a JSON body. */
  bodies: number[];
};

const METHODS = { get: 'GET', post: 'POST', put: 'PUT', patch: 'PATCH', delete: 'DELETE' } as const;

export type ApiDocument = { paths: Record<string, Record<string, DescribedOperation>> };

/** Returns every operation of the committed OpenAPI document. */
export const listOperations = (): Operation[] => operationsIn(readApiDocument<ApiDocument>());

export function operationsIn({ paths }: ApiDocument): Operation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(METHODS).flatMap(([key, method]) => {
      const operation = item[key];
      if (!operation) return [];
      const body = operation.requestBody?.content['application/json'];
      return [
        {
          id: operation.operationId,
          summary: operation.summary,
          method,
          path,
          permission: operation['x-permission'],
          events: parseEventTypes(operation.description),
          sdkToken:
            operation.security?.some(
              requirement => 'sdkToken' in requirement || 'frontendToken' in requirement,
            ) ?? false,
          edgeToken: operation.security?.some(requirement => 'edgeToken' in requirement) ?? false,
          isForSdks: operation.tags?.includes('SDK') ?? false,
          returnsSecret: operation['x-returns-secret'] ?? false,
          parameters: operation.parameters ?? [],
          bodySchema: body?.schema,
          body: body?.example,
          statuses: Object.keys(operation.responses).map(Number),
          bodies: Object.entries(operation.responses)
            .filter(([status, { content }]) => Number(status) < 300 && content?.['application/json'])
            .map(([status]) => Number(status)),
        },
      ];
    }),
  );
}

/** Returns the event types that the document lists at the end of the description. */
function parseEventTypes(description: string): string[] {
  const [, eventList = ''] = /\bEvents: (.*)$/s.exec(description) ?? [];
  return EVENT_TYPE_LIST.map(({ type }) => type).filter(type =>
    new RegExp(`(?<![\\w-])${type}(?![\\w-])`).test(eventList),
  );
}

/** Returns the operations of the admin API, and those that need no token. */
export const listAdminOperations = (): Operation[] =>
  listOperations().filter(({ isForSdks, edgeToken }) => !isForSdks && !edgeToken);
