import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { onTestFinished } from 'vitest';
import { createDatabase, dropDatabase, getDatabaseUrl } from './database.ts';

/** The versions of Unleash whose tables are recorded (bench/unleash/fixture.ts). */
export const RECORDED = ['4.19.5', '8.2.0'] as const;

export type SourceDatabase = {
  url: string;
  /** The recorded instance's tokens: admin tokens, SDK tokens and personal tokens. */
  tokens: string[];
  personalTokens: string[];
  /** Runs SQL as the owner, as Unleash would. */
  run: (text: string) => Promise<void>;
};

/** Creates a database with the tables and rows of a recorded instance, until the test finishes. */
export async function createRecordedDatabase(version: (typeof RECORDED)[number]): Promise<SourceDatabase> {
  const read = (suffix: string) =>
    readFileSync(new URL(`../importing/unleash/fixtures/${version}.${suffix}`, import.meta.url), 'utf8');
  const name = `unleash_test_${randomBytes(6).toString('hex')}`;
  await createDatabase(name);
  onTestFinished(() => dropDatabase(name));
  const run = async (text: string) => {
    const client = new pg.Client({ connectionString: getDatabaseUrl(name) });
    await client.connect();
    await client.query(text);
    await client.end();
  };
  await run(read('sql'));
  // The recorded dates of expiry pass one day.
  await run(`update personal_access_tokens set expires_at = now() + interval '30 days'`);
  return { url: getDatabaseUrl(name), ...JSON.parse(read('json')), run };
}
