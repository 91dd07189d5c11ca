import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeDemoData } from '../../scripts/demo.ts';
import { ADMIN_TOKEN, useHarness } from './harness.ts';

const ROOT = new URL('../../../', import.meta.url);
const FOLDERS = ['', 'docs/reference/', 'docs/how-to/'];

type Example = { line: number; script: string; fails: boolean };

const harness = useHarness();
const folder = mkdtempSync(join(tmpdir(), 'halyard-examples-'));
const env: Record<string, string> = { TOKEN: ADMIN_TOKEN };

beforeAll(async () => {
  writeFileSync(join(folder, '.env'), `HALYARD_INIT_ADMIN_TOKENS=${ADMIN_TOKEN}\n`);
  const people = await makeDemoData(harness.db);
  env.PASSWORD = String(people.find(person => person.username === 'ada')?.password);
  const port = await freePort();
  env.URL = `http://127.0.0.1:${port}`;
  // Requests with a cookie must come from a page of the public address.
  const app = await harness.secondServer({ publicUrl: env.URL });
  await app.listen({ host: '127.0.0.1', port });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/**
 * The shell examples of a page. They run in their order on one instance with the demo data, with URL and TOKEN set as the
 * README sets them, and PASSWORD. `sh fails` marks one whose request is rejected on purpose, `sh no-run` one for the reader's own system.
 */
function examplesOf(page: string): Example[] {
  const examples: Example[] = [];
  const lines = readFileSync(new URL(page, ROOT), 'utf8').split('\n');
  for (let n = 0; n < lines.length; n++) {
    const [, indent, kind] = /^( *)```sh ?(.*)$/.exec(String(lines[n])) ?? [];
    if (indent === undefined || kind === 'no-run') continue;
    const end = lines.indexOf(`${indent}\`\`\``, n);
    const script = lines.slice(n + 1, end).map(line => line.slice(indent.length));
    examples.push({ line: n + 1, script: script.join('\n'), fails: kind === 'fails' });
  }
  return examples;
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

async function run(script: string): Promise<{ code: number; output: string }> {
  // --fail-with-body gives curl an exit code for an error response, and still prints it.
  const bash = `set -euo pipefail; curl() { command curl --fail-with-body --show-error "$@"; }\n${script}`;
  const child = spawn('bash', ['-c', bash], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const chunks: string[] = [];
  child.stdout.on('data', chunk => chunks.push(String(chunk)));
  child.stderr.on('data', chunk => chunks.push(String(chunk)));
  const [code] = await once(child, 'close');
  return { code, output: chunks.join('') };
}

const pages = FOLDERS.flatMap(name =>
  readdirSync(new URL(name, ROOT))
    .filter(file => file.endsWith('.md') && (name !== '' || file === 'README.md'))
    .toSorted()
    .map(file => `${name}${file}`),
).filter(page => examplesOf(page).length > 0);

/** The figures of a health response, whether complete or shortened. */
const healthFigures = (text: string) =>
  [...text.matchAll(/"(health|features|stale|points|total)": ?(\d+)/g)].map(([, name, figure]) => [
    name,
    figure,
  ]);

describe.each(pages)('%s', page => {
  test.each(examplesOf(page))('the example in line $line runs as pasted', async ({ script, fails }) => {
    const { code, output } = await run(script);

    expect({ failed: code !== 0, output }).toEqual({ failed: fails, output });
    if (page === 'README.md' && script.includes('/payments/health"')) {
      const [, shown = ''] = readFileSync(new URL(page, ROOT), 'utf8').split(script);
      expect(healthFigures(output)).toEqual(
        expect.arrayContaining(healthFigures(shown.split('```')[2] ?? '')),
      );
    }
  });
});
