import { afterAll, expect, test } from 'vitest';
import { useHarness } from '../../test/harness.ts';
import type { Config } from '../config.ts';
import { openDb } from './database.ts';
import { checkPooler } from './pooler.ts';

const harness = useHarness();
const POOLED = { databaseUrl: 'postgres://pooler', directUrl: 'postgres://direct' } as Config;

test('lists the statements that set the options a pooler does not pass on', async () => {
  const db = openDb({ url: harness.databaseUrl, poolSize: 1, onError: () => {}, sessionOptions: false });
  afterAll(async () => await db.destroy());

  await expect(checkPooler(db, POOLED)).rejects.toThrow(/alter role \S+ in database \S+ set jit = 'off';/);
});
