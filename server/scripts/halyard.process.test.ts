import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { COMPILE_CACHE } from '../src/test/compile-cache.ts';

const HALYARD = fileURLToPath(new URL('../../scripts/package/halyard.ts', import.meta.url));

const run = (...args: string[]) =>
  spawnSync(process.execPath, [HALYARD, ...args], {
    encoding: 'utf8',
    env: { ...process.env, ...COMPILE_CACHE, DATABASE_URL: 'postgres://unused/unused' },
  });

test("help followed by a command name prints that command's help", () => {
  const { status, stdout } = run('help', 'health');

  expect(stdout).toContain('--url <value>');
  expect(status).toBe(0);
});

test.each([
  ['import unleash verify --plan', '--plan belongs to import unleash. verify writes nothing.'],
  ['import unleash verify --overwrite', '--overwrite belongs to import unleash. verify writes nothing.'],
  ['import unleash --halyard https://a', '--halyard belongs to import unleash verify.'],
  ['import unleash --from postgres://a --token x', '--token belongs to import unleash verify, or to a URL'],
  ['import unleash --from https://a --token x --token y', '--token can be passed only once'],
  ['import unleash --from postgres://a --from postgres://b', '--from can be passed only once.'],
  ['nats-config --hub tls://a', '--hub requires --region.'],
  [
    'nats-config --region a --hub tls://a --create-mirrors tls://b',
    '--hub is not used with --create-mirrors, which connects only to the leaf node.',
  ],
  ['event-index --verify --rebuild', 'Use either --verify or --rebuild.'],
  ['sdk-documents --verify --rebuild', 'Use either --verify or --rebuild.'],
  [
    'demo --postgres-port 5432',
    '--postgres-port is not used, because DATABASE_URL names the PostgreSQL server.',
  ],
  ['edge --port 1', 'halyard edge has no options.'],
])('%s is rejected, because an option would be ignored', (line, message) => {
  const { status, stderr } = run(...line.split(' '));

  expect(stderr).toContain(message);
  expect(status).toBe(2);
});

test('health rejects an invalid URL', () => {
  const { status, stderr } = run('health', '--url', 'foo');

  expect(stderr).toContain("--url must be an http or https URL, not 'foo'.");
  expect(status).toBe(2);
});
