import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { COMPILE_CACHE } from '../src/test/compile-cache.ts';
import { copyDatabase, discardDatabase, getDatabaseUrl, runIn } from '../src/test/database.ts';

const COMMAND = fileURLToPath(new URL('./nats-config.ts', import.meta.url));
const name = `halyard_nats_config_${randomBytes(4).toString('hex')}`;
let folder: string;

beforeAll(async () => {
  await copyDatabase(inject('template'), name);
  await runIn(
    name,
    `insert into api_tokens (name, hint, type, environment, all_projects, hash)
     values ('edge', '', 'edge', 'production', true, sha256('edge'))`,
  );
  folder = mkdtempSync(join(tmpdir(), 'halyard-nats-config-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await discardDatabase(name);
});

const run = async (...args: string[]): Promise<string> => {
  const options = { env: { ...COMPILE_CACHE, DATABASE_URL: getDatabaseUrl(name) } };
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [COMMAND, '--folder', folder, ...args],
    options,
  );
  return stdout;
};
const readContent = (file: string): string => readFileSync(join(folder, file), 'utf8').trim();

test('the hub keeps accepting the leaf nodes of all regions, and only the owner can read the files', async () => {
  const first = await run('--region', 'west', '--hub', 'tls://hub:7422');
  const [west] = /nkey: U[A-Z2-7]{55}, permissions/.exec(readContent('hub.conf')) ?? [''];
  expect(west).not.toBe('');
  for (const file of ['hub.conf', 'leaf-west.conf']) chmodSync(join(folder, file), 0o644);

  const second = await run('--region', 'east', '--hub', 'tls://hub:7422');
  expect(readContent('hub.conf')).toContain(west);
  expect(second).toContain('leaf-west.conf: unchanged');
  const bothRegions = readContent('hub.conf');
  await run('--region', 'west', '--hub', 'tls://hub:7422');
  expect(readContent('hub.conf')).toBe(bothRegions);
  // Runs without options, as somebody would after creating an edge token.
  const third = await run();

  expect(readContent('hub.conf')).toBe(bothRegions);
  expect(bothRegions).toContain('leafnodes: { port: 7422 }');
  for (const file of ['hub.conf', 'leaf-west.conf', 'leaf-east.conf', 'leaf-east.nk', 'publisher.nk'])
    expect(statSync(join(folder, file)).mode & 0o777, file).toBe(0o600);
  const seeds = ['publisher', 'leaf-west', 'leaf-east'].map(keyName => readContent(`${keyName}.nk`));
  for (const seed of seeds) expect(`${first}${second}${third}`).not.toContain(seed);
});
