import recorded from './recorded-examples.json' with { type: 'json' };

type Response = { content?: Record<string, { schema?: object; example?: unknown }> };
type Operation = { operationId?: string; responses?: Record<string, Response> };
type Document = { paths?: Record<string, Record<string, Operation>> };

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
const EXAMPLES: Record<string, unknown> = recorded;

/** Adds an example to every successful response in the document. Each is a real response that a server sent (test/api-examples). */
export function addResponseExamples<T extends object>(document: T): T {
  const { paths = {} } = document as Document;
  const operations = Object.values(paths).flatMap(path => METHODS.flatMap(method => path[method] ?? []));
  for (const { operationId, responses = {} } of operations) {
    for (const [status, { content }] of Object.entries(responses)) {
      const json = content?.['application/json'];
      const example = EXAMPLES[`${operationId} ${status}`];
      if (json && example !== undefined) json.example = example;
    }
  }
  return document;
}
