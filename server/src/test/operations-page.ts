import type { Operation } from './operations.ts';

const INTRODUCTION = `# Operations

All operations of the API, under the names that generated clients use. Parameters, bodies and responses are described in
[openapi.json](../../openapi.json), and a running server shows them at \`/docs/\`. "Any token" means any valid admin API token or
session; what the caller may read or change can still depend on the project. The last column lists the events that the operation
can record.

Download the document from your own server:

\`\`\`sh
curl -s "$URL/docs/openapi.json" -o openapi.json
\`\`\`

| Operation | Request | Requires | Events |
| --- | --- | --- | --- |
`;

const code = (text: string): string => `\`${text}\``;

/** Returns the content of docs/reference/operations.md, which `npm run openapi` writes. */
export const formatOperationsPage = (operations: Operation[]): string =>
  INTRODUCTION +
  operations
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .map(operation => `| ${formatCells(operation).join(' | ')} |\n`)
    .join('');

const formatCells = ({ id, method, path, events, ...required }: Operation): string[] => [
  code(id),
  code(`${method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
  describeRequirement(required),
  events.map(code).join(', '),
];

function describeRequirement({
  permission,
  sdkToken,
  edgeToken,
}: Pick<Operation, 'permission' | 'sdkToken' | 'edgeToken'>): string {
  if (edgeToken) return 'edge token';
  if (permission === undefined) return sdkToken ? 'SDK token' : 'no token';
  return permission === 'NONE' ? 'any token' : permission.map(code).join(' or ');
}
