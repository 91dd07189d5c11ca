// Writes the parts of openapi.json that the command line needs: the types to src/api/api.gen.ts, and the schemas that --describe prints
// to src/api/schemas.gen.ts. Also writes the reference page from the command definitions.
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { readApiDocument, writeApiTypes } from '../../console/scripts/api-types.ts';
import { closure } from '../src/api/schema-for.ts';
import { COMMANDS } from '../src/commands/index.ts';
import { writeReference } from './reference.ts';

const at = (path: string): URL => new URL(path, import.meta.url);

export function writeSchemas(): string {
  const { schemas } = readApiDocument().components;
  const used = COMMANDS.map(({ output }) => (typeof output === 'string' ? { $ref: output } : output));
  const some = Object.fromEntries(closure(used, schemas).map(name => [name, schemas[name]]));
  return [
    '// Written by `npm run api-types` from openapi.json: the schemas that commands print. Do not edit.',
    `export const SCHEMAS: Record<string, unknown> = ${JSON.stringify(some)};`,
    '',
  ].join('\n');
}

export const files = (): [URL, string][] => [
  [at('../src/api/api.gen.ts'), writeApiTypes(readApiDocument())],
  [at('../src/api/schemas.gen.ts'), writeSchemas()],
  [
    at('../../docs/reference/command-line.md'),
    writeReference(readFileSync(at('../../docs/reference/command-line.md'), 'utf8')),
  ],
];

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  for (const [file, text] of files()) writeFileSync(file, text);
