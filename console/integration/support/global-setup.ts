import type { TestProject } from 'vitest/node';
import { type ConsoleServer, startServer } from '../../e2e/support/server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The server that most tests share. */
    clientServer: Omit<ConsoleServer, 'stop'>;
  }
}

let server: ConsoleServer;

export async function setup(project: TestProject): Promise<void> {
  // test/template-database.ts has already created the template.
  server = await startServer(String(process.env.TEST_TEMPLATE));
  const { stop: _, ...shared } = server;
  project.provide('clientServer', shared);
}

export async function teardown(): Promise<void> {
  await server.stop();
}
