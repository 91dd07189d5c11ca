// Only this folder imports server sources, to start the server as a process. Tests reach the server through the CLI.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { type ConsoleServer, startServer } from '../../../console/e2e/support/server.ts';
import { bundle } from '../../../scripts/package/bundle.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The server that all tests share, and the bundled CLI. */
    cli: Omit<ConsoleServer, 'stop'> & { program: string };
  }
}

let server: ConsoleServer;
let folder: string;

export async function setup(project: TestProject): Promise<void> {
  folder = mkdtempSync(join(tmpdir(), 'halyard-cli-'));
  const root = fileURLToPath(new URL('../../../', import.meta.url));
  const modules = await bundle({ root, folder, entries: { halyard: 'cli/src/run.ts' }, maps: 'none' });
  const forbidden = modules.filter(path =>
    /node_modules\/(pg|pg-boss|kysely)\/|^server\/|\/server\/src\//.test(path),
  );
  if (forbidden.length > 0) throw new Error(`The CLI contains ${forbidden.join(', ')}`);
  // Set by test/template-database.ts, which runs earlier.
  server = await startServer(String(process.env.TEST_TEMPLATE));
  const { stop: _, ...shared } = server;
  project.provide('cli', { ...shared, program: join(folder, 'halyard.js') });
}

export async function teardown(): Promise<void> {
  await server.stop();
  rmSync(folder, { recursive: true });
}
