import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { dropDatabase, getDatabaseUrl } from './database.ts';
import { makeMigrationFolder } from './migration-folder.ts';
import { ensureTemplate } from './template-database.ts';

test('the template is recreated only when a migration is added', async () => {
  const name = `halyard_template_test_${randomBytes(4).toString('hex')}`;
  onTestFinished(() => dropDatabase(name));
  expect(await ensureTemplate(name)).toBe(true);
  expect(await ensureTemplate(name)).toBe(false);

  const folder = makeMigrationFolder({ '9001_planted.sql': 'create table planted ()' });
  expect(await ensureTemplate(name, folder)).toBe(true);

  const client = new pg.Client({ connectionString: getDatabaseUrl(name) });
  await client.connect();
  await client.query('select from planted');
  await client.end();
  expect(await ensureTemplate(name, folder)).toBe(false);
});
