import type { TestProject } from 'vitest/node';
import { migrate } from '../platform/db/migrate.ts';
import { MIGRATIONS, readMigrations } from '../platform/db/migration-files.ts';
import { createDatabase, dropRun, getDatabaseUrl } from './database.ts';

declare module 'vitest' {
  interface ProvidedContext {
    template: string;
  }
}

/** Creates one migrated database per run for all projects. Every test file works on a copy of it. */
export async function setup(project: Pick<TestProject, 'provide' | 'onTestsRerun'>): Promise<void> {
  const template = process.env.TEST_TEMPLATE ?? `halyard_template_${process.pid}`;
  if (process.env.TEST_TEMPLATE === undefined) {
    process.env.TEST_TEMPLATE = template;
    await ensureTemplate(template);
    // In watch mode, a run after a change to the migrations gets a new template.
    project.onTestsRerun(async () => {
      await ensureTemplate(template);
    });
  }
  project.provide('template', template);
}

export async function teardown(): Promise<void> {
  await dropRun(`halyard_template_${process.pid}`);
}

const sourceByTemplate = new Map<string, string>();

/** Creates the template unless it exists and the migrations are unchanged. Returns whether it was created. */
export async function ensureTemplate(template: string, folder = MIGRATIONS): Promise<boolean> {
  const files = await readMigrations(folder);
  const source = files.map(({ name, checksum }) => `${name} ${checksum}`).join('\n');
  if (sourceByTemplate.get(template) === source) return false;
  await createDatabase(template);
  await migrate(getDatabaseUrl(template), { folder });
  sourceByTemplate.set(template, source);
  return true;
}
