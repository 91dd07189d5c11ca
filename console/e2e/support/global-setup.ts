import type { TestProject } from 'vitest/node';
import { dropDatabase } from '../../../server/src/test/database.ts';
import { makeTemplate } from '../../../server/src/test/template-database.ts';
import { buildConsole } from './build.ts';
import { type ConsoleServer, startServer } from './server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    consoleTemplate: string;
    /** The server that all tests share. */
    consoleServer: Omit<ConsoleServer, 'stop'>;
  }
}

const TEMPLATE = `halyard_console_template_${process.pid}`;
let server: ConsoleServer;

/** Builds the console and starts the server that most tests share: a start takes 1 s of CPU time. */
export async function setup(project: TestProject): Promise<void> {
  await Promise.all([buildConsole(), makeTemplate(TEMPLATE)]);
  server = await startServer(TEMPLATE);
  project.provide('consoleTemplate', TEMPLATE);
  const { stop: _, ...shared } = server;
  project.provide('consoleServer', shared);
}

export async function teardown(): Promise<void> {
  await server.stop();
  await dropDatabase(TEMPLATE);
}
