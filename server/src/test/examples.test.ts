import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { makeDemoData } from '../../scripts/demo.ts';
import { buildApp } from '../app.ts';
import { createInitialAdminTokens } from '../people/api-tokens/initial-admin-tokens.ts';
import { openDb } from '../platform/db/database.ts';
import { keepCurrent } from '../sdk/state/keep-current.ts';
import { copyDatabase, dropDatabase, urlOf } from './database.ts';
import { ADMIN_TOKEN, APP_SETTINGS } from './harness.ts';
import { alignWith, parseShown, patternOf } from './shown-output.ts';
import { strictSerializer } from './strict-serializer.ts';

const ROOT = new URL('../../../', import.meta.url);
const PUBLIC_URL = 'http://localhost:4242';
const FOLDERS = ['', 'docs/', 'docs/reference/', 'docs/how-to/'];

type Block = { line: number; language: string; text: string };
type Example = { line: number; script: string; fails: boolean; shown: Block | undefined };

const demo = `halyard_examples_${randomBytes(6).toString('hex')}`;
const folder = mkdtempSync(join(tmpdir(), 'halyard-examples-'));
const env: Record<string, string> = { TOKEN: ADMIN_TOKEN };

beforeAll(async () => {
  writeFileSync(join(folder, '.env'), `HALYARD_INIT_ADMIN_TOKENS=${ADMIN_TOKEN}\n`);
  await copyDatabase(inject('template'), demo);
  const db = openDb({ url: urlOf(demo), poolSize: 2, onError: () => {} });
  await createInitialAdminTokens(db, [ADMIN_TOKEN]);
  const people = await makeDemoData(db);
  env.PASSWORD = String(people.find(person => person.username === 'ada')?.password);
  await db.destroy();
});
afterAll(async () => {
  await dropDatabase(demo);
  rmSync(folder, { recursive: true, force: true });
});

/** A fresh instance with the demo data. */
function useInstance(): void {
  const name = `${demo}_page`;
  const opened: { close: () => Promise<void> }[] = [];
  beforeAll(async () => {
    await copyDatabase(demo, name);
    const db = openDb({ url: urlOf(name), poolSize: 4, onError: () => {} });
    const port = await freePort();
    env.URL = `http://127.0.0.1:${port}`;
    // Requests with a cookie must come from a page of the public address.
    const settings = { ...APP_SETTINGS, publicUrl: env.URL };
    const app = await buildApp(db, settings, { ...strictSerializer, longReadDb: db });
    const stop = await keepCurrent(app.serving, urlOf(name), { warn: () => {} }, app.metrics);
    await app.listen({ host: '127.0.0.1', port });
    opened.push(app, { close: stop }, { close: () => db.destroy() });
  });
  afterAll(async () => {
    for (const part of opened) await part.close();
    await dropDatabase(name);
  });
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

function blocksOf(page: string): Block[] {
  const blocks: Block[] = [];
  const lines = readFileSync(new URL(page, ROOT), 'utf8').split('\n');
  for (let n = 0; n < lines.length; n++) {
    const [, indent, language = ''] = /^( *)```(.*)$/.exec(String(lines[n])) ?? [];
    if (indent === undefined) continue;
    const end = lines.indexOf(`${indent}\`\`\``, n + 1);
    const text = lines.slice(n + 1, end).map(line => line.slice(indent.length));
    blocks.push({ line: n + 1, language, text: text.join('\n') });
    n = end;
  }
  return blocks;
}

/**
 * The shell examples of a page, each with the output that the page shows next: `json`, or `text`. They run in their order, with
 * URL and TOKEN set as the README sets them, and PASSWORD. `sh fails` marks an example whose request is rejected on purpose,
 * `sh no-run` an example for the reader's own system.
 */
function examplesOf(page: string): Example[] {
  return blocksOf(page).flatMap(({ line, language, text }, n, blocks) => {
    if (language !== 'sh' && language !== 'sh fails') return [];
    const next = blocks[n + 1];
    const shown = next && ['json', 'text'].includes(next.language) ? next : undefined;
    return [{ line, script: text, fails: language === 'sh fails', shown }];
  });
}

async function run(script: string): Promise<{ code: number; output: string }> {
  // --fail-with-body gives curl an exit code for an error response, and still prints it.
  const bash = `set -euo pipefail; curl() { command curl --fail-with-body "$@"; }\n${script}`;
  const child = spawn('bash', ['-c', bash], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const chunks: string[] = [];
  child.stdout.on('data', chunk => chunks.push(String(chunk)));
  child.stderr.on('data', chunk => chunks.push(String(chunk)));
  const [code] = await once(child, 'close');
  return { code, output: chunks.join('').replaceAll(String(env.URL), PUBLIC_URL) };
}

function expectShown(output: string, shown: Block | undefined): void {
  if (shown?.language === 'json') {
    const documents = parseShown(shown.text);
    const actual = parseShown(output);
    expect(actual.map((document, n) => alignWith(documents[n], document))).toEqual(documents);
  } else if (!patternOf(shown?.text.trim() ?? '').test(output.trim())) {
    expect(output).toBe(shown?.text ?? '');
  }
}

const pages = FOLDERS.flatMap(name =>
  readdirSync(new URL(name, ROOT))
    .filter(file => file.endsWith('.md') && (name !== '' || file === 'README.md'))
    .toSorted()
    .map(file => `${name}${file}`),
);

describe.each(pages.filter(page => examplesOf(page).length > 0))('%s', page => {
  useInstance();

  test.each(examplesOf(page))('the example in line $line prints what the page shows', async example => {
    const { code, output } = await run(example.script);

    expect({ failed: code !== 0, output }).toEqual({ failed: example.fails, output });
    expectShown(output, example.shown);
  });
});

test.each(pages.filter(page => page.startsWith('docs/reference/')))('%s opens with an example', page => {
  const text = readFileSync(new URL(page, ROOT), 'utf8');
  const [beforeTable = ''] = text.split(/^\|/m);

  expect(beforeTable).toMatch(/^```sh/m);
});
