import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { COMPILE_CACHE } from '../src/test/compile-cache.ts';
import { useHarness } from '../src/test/harness.ts';
import { RECORDED_TOKEN, startRecordedApi } from '../src/test/recorded-api.ts';
import { call } from '../src/test/request.ts';
import { useSdkServer } from '../src/test/sdk-server.ts';
import { toPattern } from '../src/test/shown-output.ts';
import { createRecordedDatabase } from '../src/test/unleash-database.ts';

const harness = useHarness();
const sdk = useSdkServer(harness);
const PAGE = readFileSync(new URL('../../docs/how-to/move-from-unleash.md', import.meta.url), 'utf8');
const HALYARD = fileURLToPath(new URL('../../scripts/package/halyard.ts', import.meta.url));
const EXAMPLE = /```sh no-run\n(halyard [\s\S]*?)```(?:\n\n```text\n([\s\S]*?)```)?/g;

/** The commands on the page, each with the output that the page shows below it. */
const examples = [...PAGE.matchAll(EXAMPLE)].map(([, command = '', shown = '']) => ({ command, shown }));

/** Runs a command in a shell, as a reader would, with the URLs of this test. */
async function run(
  command: string,
  urls: Record<string, string>,
): Promise<{ output: string; status: number }> {
  const script = Object.entries(urls).reduce((line, [shown, url]) => line.replaceAll(shown, url), command);
  const child = spawn('sh', ['-c', `halyard() { "$NODE" "$HALYARD" "$@" 2>&1; }\n${script}`], {
    env: {
      ...COMPILE_CACHE,
      PATH: process.env.PATH,
      NODE: process.execPath,
      HALYARD,
      HALYARD_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
      DATABASE_URL: harness.databaseUrl,
      UNLEASH_ADMIN_TOKEN: RECORDED_TOKEN,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = new Promise<number>(resolve => child.on('close', code => resolve(code ?? 1)));
  return { output: await text(child.stdout), status: await exit };
}

/** Builds a pattern for a line of shown output, in which numbers and people can differ between instances. */
const buildLinePattern = (shown: string): RegExp =>
  toPattern(
    shown
      .trim()
      .replace(/Z ada /, 'Z … ')
      .replace(/^Database: .*/, 'Database: …')
      .replace(/[\d.,:TZ-]*\d[\d.,:TZ-]*/g, '…')
      .replace(/ {2,}/g, '…'),
  );

test('every command on the page runs and prints lines like those on the page', async () => {
  const unleash = await createRecordedDatabase('4.19.5');
  const urls = {
    'postgres://halyard_import:choose-one@unleash-db:5432/unleash': unleash.url,
    // One server stands in for both, because they have the same flags and tokens after the import.
    '--unleash https://unleash.example.com': `--unleash ${sdk.url}`,
    'https://halyard.example.com': sdk.url.replace('127.0.0.1', 'localhost'),
    'https://unleash.example.com': await startRecordedApi('4.19.5'),
  };
  expect(examples.map(({ command }) => command.split(' ').slice(0, 4).join(' '))).toEqual([
    'halyard import unleash --from',
    'halyard import unleash --from',
    'halyard import unleash verify',
    'halyard export unleash\n',
  ]);

  for (const { command, shown } of examples) {
    if (command.includes(' verify ')) {
      const { output } = await run(`halyard import unleash --from ${unleash.url} --accept`, {});
      expect(output).toContain('Imported in');
      await harness.app.serving.refresh();
    }
    if (command.includes('export')) {
      const development = '/api/admin/projects/default/features/checkout-v2/environments/development';
      await call(harness.app, 'POST', `${development}/on`);
      const body = { name: 'gift-cards', type: 'release' };
      await call(harness.app, 'POST', '/api/admin/projects/default/features', { body });
    }
    const { output } = await run(command, urls);
    const printedLines = output.split('\n').map(line => line.trim());
    for (const line of shown
      .split('\n')
      .filter(shownLine => shownLine.trim() !== '' && shownLine.trim() !== '…'))
      expect(printedLines, line).toContainEqual(expect.stringMatching(buildLinePattern(line)));
  }
});
