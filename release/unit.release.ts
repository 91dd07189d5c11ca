import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { runToEnd } from './support/package.ts';

const UNIT = fileURLToPath(new URL('../deploy/systemd/halyard.service', import.meta.url));
const MAX_EXPOSURE = 2.0;

test('systemd accepts the unit without a warning', async () => {
  expect(await runToEnd('systemd-analyze', ['verify', UNIT])).toEqual({ code: 0, output: '' });
});

test("systemd rates the unit's exposure at 2.0 or lower", async () => {
  const { output } = await runToEnd('systemd-analyze', ['security', '--offline=true', '--no-pager', UNIT]);
  const [, exposure] = /Overall exposure level for halyard\.service: (\d+\.\d+)/.exec(output) ?? [];
  console.log(`exposure: ${exposure}`);

  expect(Number(exposure)).toBeLessThanOrEqual(MAX_EXPOSURE);
});
