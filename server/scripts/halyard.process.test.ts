import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { COMPILE_CACHE } from '../src/test/compile-cache.ts';

const HALYARD = fileURLToPath(new URL('halyard.ts', import.meta.url));

const run = (...args: string[]) =>
  spawnSync(process.execPath, [HALYARD, ...args], {
    encoding: 'utf8',
    env: { ...process.env, ...COMPILE_CACHE },
  });

test('help with the name of a command prints the help of the command', () => {
  const { status, stdout } = run('help', 'health');

  expect(stdout).toContain('--url <value>');
  expect(status).toBe(0);
});

test('health rejects an invalid URL', () => {
  const { status, stderr } = run('health', '--url', 'foo');

  expect(stderr).toContain("--url must be an http or https URL, not 'foo'.");
  expect(status).toBe(2);
});
