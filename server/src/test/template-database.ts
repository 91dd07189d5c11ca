import type { TestProject } from 'vitest/node';
import { migrate } from '../db/migrate.ts';
import { createDatabase, dropDatabase, urlOf } from './database.ts';

declare module 'vitest' {
  interface ProvidedContext {
    template: string;
  }
}

/** One migrated database per run; every test file works on a copy of it. */
export async function setup(project: TestProject): Promise<void> {
  const template = `halyard_template_${process.pid}`;
  await createDatabase(template);
  await migrate(urlOf(template));
  project.provide('template', template);
  project.onTestsRerun(() => {});
}

export async function teardown(): Promise<void> {
  await dropDatabase(`halyard_template_${process.pid}`);
}
