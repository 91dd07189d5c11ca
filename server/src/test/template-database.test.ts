import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { dropDatabase, urlOf } from './database.ts';
import { migrationFolder } from './migration-folder.ts';
import { makeTemplate } from './template-database.ts';

test('the template is recreated when a migration is added, and only then', async () => {
  const name = `halyard_template_test_${randomBytes(4).toString('hex')}`;
  onTestFinished(() => dropDatabase(name));
  expect(await makeTemplate(name)).toBe(true);
  expect(await makeTemplate(name)).toBe(false);

  const folder = migrationFolder({ '9001_planted.sql': 'create table planted ()' });
  expect(await makeTemplate(name, folder)).toBe(true);

  const client = new pg.Client({ connectionString: urlOf(name) });
  await client.connect();
  await client.query('select from planted');
  await client.end();
  expect(await makeTemplate(name, folder)).toBe(false);
});
