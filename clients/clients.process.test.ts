import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const DOCUMENT = '../openapi.json';

/** Runs a program, and returns its output if it failed. */
function run(program: string, ...parameters: string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...parameters], {
    cwd: FOLDER,
    encoding: 'utf8',
  });
  return status === 0 ? '' : `${program} ended with ${status}\n${stdout}\n${stderr}`;
}

test('clients generated from openapi.json compile together with code that uses them, including the documented example', () => {
  rmSync(`${FOLDER}generated`, { recursive: true, force: true });

  const generated = [
    run(
      'node_modules/openapi-typescript/bin/cli.js',
      DOCUMENT,
      '-o',
      'generated/openapi-typescript.ts',
      // A field with a default can be omitted in a request.
      '--default-non-nullable=false',
    ),
    run('node_modules/@hey-api/openapi-ts/bin/run.js', '-i', DOCUMENT, '-o', 'generated/hey-api'),
  ];
  const page = readFileSync(`${FOLDER}../docs/how-to/generate-a-client.md`, 'utf8');
  const [, documented = ''] = /```ts\n([\s\S]*?)```/.exec(page) ?? [];
  expect(documented).toContain("from './halyard.ts'");
  writeFileSync(
    `${FOLDER}generated/documented.ts`,
    documented.replace('./halyard.ts', './openapi-typescript.ts'),
  );
  const compiled = run('../node_modules/typescript/bin/tsc', '-p', 'tsconfig.json', '--singleThreaded');

  expect(generated).toEqual(['', '']);
  expect(compiled).toBe('');
});
