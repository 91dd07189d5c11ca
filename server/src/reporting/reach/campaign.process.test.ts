import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const CHAOS_TEST_SCRIPT = fileURLToPath(new URL('../../../../bench/reach/main.ts', import.meta.url));

test('reach lists exactly the stopped SDKs on every transport while a server is killed, and never reports a change as live too early', {
  timeout: 900_000,
}, async () => {
  const size = { sdks: 6, stopped: 2, processes: 6, changes: 40, rounds: 2, kills: 1, interval: 1_000 };
  const args = Object.entries(size).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const child = spawn(process.execPath, [CHAOS_TEST_SCRIPT, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', text => {
    output += text;
  });

  await once(child, 'close');

  expect(output).toContain('no problems found');
  expect(output).toContain('0 changes reported live too early, 0 with wrong instances');
});
