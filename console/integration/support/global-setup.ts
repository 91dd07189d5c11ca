import type { TestProject } from 'vitest/node';
import { dropDatabase } from '../../../server/src/test/database.ts';
import { makeTemplate } from '../../../server/src/test/template-database.ts';
import { type ConsoleServer, startServer } from '../../e2e/support/server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    clientTemplate: string;
    /** The server that most tests share. */
    clientServer: Omit<ConsoleServer, 'stop'>;
  }
}

const TEMPLATE = `halyard_client_template_${process.pid}`;
let server: ConsoleServer;

export async function setup(project: TestProject): Promise<void> {
  await makeTemplate(TEMPLATE);
  server = await startServer(TEMPLATE);
  project.provide('clientTemplate', TEMPLATE);
  const { stop: _, ...shared } = server;
  project.provide('clientServer', shared);
}

export async function teardown(): Promise<void> {
  await server.stop();
  await dropDatabase(TEMPLATE);
}
