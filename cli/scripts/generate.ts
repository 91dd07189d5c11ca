// Writes the parts of openapi.json that the CLI needs: the types to src/api/api.gen.ts, and the schemas that --describe prints
// to src/api/schemas.gen.ts. Also writes the reference page from the command definitions.
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { readApiDocument, renderApiTypes } from '../../console/scripts/api-types.ts';
import { referencedSchemas } from '../src/api/schema-for.ts';
import { COMMANDS } from '../src/commands/index.ts';
import { renderReference } from './reference.ts';

const resolveUrl = (path: string): URL => new URL(path, import.meta.url);

export function renderSchemas(): string {
  const { schemas } = readApiDocument().components;
  const outputs = COMMANDS.map(({ output }) => (typeof output === 'string' ? { $ref: output } : output));
  const usedSchemas = Object.fromEntries(
    referencedSchemas(outputs, schemas).map(name => [name, schemas[name]]),
  );
  return [
    '// Written by `npm run api-types` from openapi.json: the schemas that commands print. Do not edit.',
    `export const SCHEMAS: Record<string, unknown> = ${JSON.stringify(usedSchemas)};`,
    '',
  ].join('\n');
}

export const generateFiles = (): [URL, string][] => [
  [resolveUrl('../src/api/api.gen.ts'), renderApiTypes(readApiDocument())],
  [resolveUrl('../src/api/schemas.gen.ts'), renderSchemas()],
  [
    resolveUrl('../../docs/reference/command-line.md'),
    renderReference(readFileSync(resolveUrl('../../docs/reference/command-line.md'), 'utf8')),
  ],
];

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  for (const [file, text] of generateFiles()) writeFileSync(file, text);
