import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const CAMPAIGN = fileURLToPath(new URL('../../../../bench/reach/main.ts', import.meta.url));

test('names exactly the stopped SDKs on all transports while a server is killed, and nothing is live too early', {
  timeout: 900_000,
}, async () => {
  const size = { sdks: 6, stopped: 2, processes: 6, changes: 40, rounds: 2, kills: 1, interval: 1_000 };
  const given = Object.entries(size).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const child = spawn(process.execPath, [CAMPAIGN, ...given], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', text => {
    output += text;
  });

  await once(child, 'close');

  expect(output).toContain('no problem found');
  expect(output).toContain('0 false live, 0 with wrong names');
});
