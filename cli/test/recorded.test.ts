import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, inject, test } from 'vitest';
import { createApi } from '../../console/e2e/support/api.ts';
import { startServer } from '../../console/e2e/support/server.ts';
import { COMMANDS } from '../src/commands/index.ts';
import { VERSION } from '../src/version.ts';
import { home, onTerminal, run } from './support/run.ts';

// Records what the commands print, with and without a terminal, so that a review shows every change of the output.
// `npm test -- cli/test/recorded --update` writes the files in recorded/.

const folder = mkdtempSync(join(tmpdir(), 'halyard-recorded-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Commands that are not recorded, because they run until they are stopped, wait for a browser, or are checked by other tests. */
const UNRECORDED = [
  ...['login', 'logout', 'listen', 'mcp', 'dev', 'completion', 'profile use', 'profile set'],
  ...['deliveries list', 'deliveries show', 'deliveries tail', 'deliveries redeliver', 'tokens delegate'],
];

const file = join(folder, 'flags.yaml');
const FLAGS = `project: shop
flags:
  checkout:
    description: The checkout of 2027
  receipts:
    description: Receipts by email
`;

const LINES = [
  'whoami',
  'doctor',
  'profile list',
  'projects create shop --name Shop',
  'projects list',
  'projects show shop',
  'flags create checkout -p shop -d Checkout --tag simple:q4 -m First',
  'flags create checkout -p shop',
  'flags list -p shop',
  'flags on checkout -e development --dry-run',
  'flags on checkout -e development',
  'flags off checkout -e development',
  'flags show checkout',
  'flags show checkuot',
  'flags explain checkout -e development -c userId=7',
  'flags diff checkout --from development --to production',
  'flags clone checkout checkout-2',
  'flags stale checkout-2',
  'flags archive checkout-2 --yes',
  'flags revive checkout-2',
  'flags export -p shop',
  `flags plan -f ${file}`,
  `flags apply -f ${file} --yes`,
  'projects health shop',
  'environments list',
  'segments list',
  'segments show beta',
  'tokens create laptop -e development -p shop',
  'tokens list',
  'tokens revoke laptop --yes',
  'users list',
  'events search --flag checkout',
  'events show 3',
  'events tail --flag checkout --after 0 --count 2',
  'events export --flag receipts',
  'types -p shop',
  `scan ${join(folder, 'src')} -p shop`,
  'api GET /api/admin/feature-types',
  'flags shwo checkout',
  'flags show --help',
];

/** Replaces what differs between two runs. Most replacements have the same length, so that tables stay aligned. */
const stabilize = (text: string, url: string): string =>
  text
    .replaceAll(url, 'http://localhost:4242')
    .replaceAll(folder, '/project')
    .replaceAll(home, '/home')
    .replaceAll(VERSION, '1.0.0')
    .replace(/Node\.js [\d.]+/g, 'Node.js 24')
    .replace(
      /\d{4}-\d\d-\d\d([ T])\d\d:\d\d(:\d\d)?(\.\d{3}Z)?/g,
      (_, between, seconds = '', rest = '') =>
        `2027-01-01${between}00:00${seconds && ':00'}${rest && '.000Z'}`,
    )
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '00000000-0000-0000-0000-000000000000')
    .replace(/(hy[a-z]_)[A-Za-z0-9]+/g, '$1…')
    .replace(/…[A-Za-z0-9]{4}\b/g, '…abcd')
    .replace(/\b\d+ ms\b/g, '5 ms');

test.each([
  ['terminal', onTerminal],
  ['pipe', run],
] as const)('the output of each command on a %s matches the recording', async (name, execute) => {
  mkdirSync(join(folder, 'src'), { recursive: true });
  writeFileSync(join(folder, 'src/shop.ts'), "isEnabled('checkout');\nisEnabled('chekout');\n");
  writeFileSync(file, FLAGS);
  const server = await startServer(inject('template'));
  await createApi(server).send('POST', '/api/admin/segments', { name: 'beta', constraints: [] });
  const env = { HALYARD_SERVER: server.url, HALYARD_TOKEN: server.adminToken, NO_COLOR: '1' };

  let transcript = '';
  for (const line of LINES) {
    const { code, stdout, stderr } = await execute(line.split(' '), { env });
    transcript += `$ halyard ${line}${code === 0 ? '' : `    exits with ${code}`}\n${stdout}${stderr}\n`;
  }

  await server.stop();
  await expect(stabilize(transcript, server.url)).toMatchFileSnapshot(`recorded/${name}.txt`);
});

test('the output of every command is recorded, unless other tests check it', () => {
  const isRecorded = (name: string) => LINES.some(line => line === name || line.startsWith(`${name} `));

  expect(
    COMMANDS.map(({ name }) => name)
      .filter(name => !isRecorded(name))
      .toSorted(),
  ).toEqual(UNRECORDED.toSorted());
});
