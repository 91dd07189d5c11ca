import { readApiDocument } from './api-document.ts';

type Schema = Record<string, unknown>;
type Parameter = { name: string; in: 'path' | 'query' | 'header'; schema: Schema };
type Described = {
  operationId: string;
  tags?: string[];
  parameters?: Parameter[];
  requestBody?: { content: { 'application/json': { schema: Schema; example?: unknown } } };
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
  'x-permission'?: 'NONE' | string[];
  'x-returns-secret'?: boolean;
};

export type Operation = {
  id: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  /** undefined: public */
  permission: 'NONE' | string[] | undefined;
  /** Whether it is for SDKs, which authenticate with API tokens of their own. */
  isForSdks: boolean;
  /** Whether its response shows a secret. */
  returnsSecret: boolean;
  parameters: Parameter[];
  bodySchema: Schema | undefined;
  /** The example of the document: a body that the operation accepts. */
  body: unknown;
  statuses: number[];
  /** Successful statuses whose response has a JSON body. */
  bodies: number[];
};

const METHODS = { get: 'GET', post: 'POST', put: 'PUT', patch: 'PATCH', delete: 'DELETE' } as const;

/** Every operation of the committed OpenAPI document. */
export function listOperations(): Operation[] {
  const { paths } = readApiDocument<{ paths: Record<string, Record<string, Described>> }>();
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(METHODS).flatMap(([key, method]) => {
      const operation = item[key];
      if (!operation) return [];
      const body = operation.requestBody?.content['application/json'];
      return [
        {
          id: operation.operationId,
          method,
          path,
          permission: operation['x-permission'],
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

/** The operations of the admin API, and those that need no token. */
export const listAdminOperations = (): Operation[] => listOperations().filter(({ isForSdks }) => !isForSdks);
