import type { TestProject } from 'vitest/node';
import { buildConsole } from './build.ts';
import { type ConsoleServer, startServer } from './server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    template: string;
    /** The server that most tests share. */
    consoleServer: Omit<ConsoleServer, 'stop'>;
  }
}

let server: ConsoleServer;

/** Builds the console, and starts a server that most tests share, because each start takes 1 s of CPU time. */
export async function setup(project: TestProject): Promise<void> {
  await buildConsole();
  // test/template-database.ts has already created the template.
  server = await startServer(String(process.env.TEST_TEMPLATE));
  const { stop: _, ...shared } = server;
  project.provide('consoleServer', shared);
}

export async function teardown(): Promise<void> {
  await server.stop();
}
