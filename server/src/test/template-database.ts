import type { TestProject } from 'vitest/node';
import { migrate } from '../platform/db/migrate.ts';
import { MIGRATIONS, readMigrations } from '../platform/db/migration-files.ts';
import { createDatabase, dropRun, urlOf } from './database.ts';

declare module 'vitest' {
  interface ProvidedContext {
    template: string;
  }
}

/** One migrated database per run, for all projects; every test file works on a copy of it. */
export async function setup(project: Pick<TestProject, 'provide' | 'onTestsRerun'>): Promise<void> {
  const template = process.env.TEST_TEMPLATE ?? `halyard_template_${process.pid}`;
  if (process.env.TEST_TEMPLATE === undefined) {
    process.env.TEST_TEMPLATE = template;
    await makeTemplate(template);
    // In watch mode: a run after a change of the migrations gets a new template.
    project.onTestsRerun(async () => {
      await makeTemplate(template);
    });
  }
  project.provide('template', template);
}

export async function teardown(): Promise<void> {
  await dropRun(`halyard_template_${process.pid}`);
}

const madeFrom = new Map<string, string>();

/** Creates the template unless the migrations are unchanged. Returns whether it did. */
export async function makeTemplate(template: string, folder = MIGRATIONS): Promise<boolean> {
  const files = await readMigrations(folder);
  const source = files.map(({ name, checksum }) => `${name} ${checksum}`).join('\n');
  if (madeFrom.get(template) === source) return false;
  await createDatabase(template);
  await migrate(urlOf(template), { folder });
  madeFrom.set(template, source);
  return true;
}
