import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { keepCurrent } from '@halyard/plane/serving/state/keep-current.ts';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { makeSetupData } from '../../scripts/setup-data.ts';
import { buildApp } from '../app.ts';
import { createInitialAdminTokens } from '../people/api-tokens/initial-admin-tokens.ts';
import { openDb } from '../platform/db/database.ts';
import { listenForChanges } from '../publishing/source/database-source.ts';
import { registerWriters } from '../record/change-writers.ts';
import { startFlushLoop } from '../reporting/metrics/flush-loop.ts';
import { WRITERS } from '../writers.ts';
import { COMPILE_CACHE } from './compile-cache.ts';
import { copyDatabase, discardDatabase, getDatabaseUrl } from './database.ts';
import { ADMIN_TOKEN, APP_SETTINGS } from './harness.ts';
import { alignWith, parseShown, toPattern } from './shown-output.ts';
import { strictSerializer } from './strict-serializer.ts';

const ROOT = new URL('../../../', import.meta.url);
const CLI = fileURLToPath(new URL('cli/src/run.ts', ROOT));
const PUBLIC_URL = 'http://localhost:4242';
const FOLDERS = ['', 'docs/', 'docs/reference/', 'docs/how-to/', 'docs/explanation/', 'docs/tutorials/'];

type Block = { line: number; language: string; text: string };
type Example = {
  line: number;
  script: string;
  fails: boolean;
  /** The example starts a program, or waits for its next output. */
  background: boolean;
  shown: Block | undefined;
};

const demo = `halyard_examples_${randomBytes(6).toString('hex')}`;
const folder = mkdtempSync(join(tmpdir(), 'halyard-examples-'));
const env: Record<string, string> = { TOKEN: ADMIN_TOKEN };
/** Variables that a page's examples set for later examples, and the programs that they started. */
const page = { variables: {} as Record<string, string>, programs: [] as number[], printed: '', compared: 0 };

beforeAll(async () => {
  writeFileSync(join(folder, '.env'), `HALYARD_INIT_ADMIN_TOKENS=${ADMIN_TOKEN}\n`);
  symlinkSync(new URL('node_modules', ROOT), join(folder, 'node_modules'));
  await copyDatabase(inject('template'), demo);
  const db = openDb({ url: getDatabaseUrl(demo), poolSize: 2, onError: () => {} });
  registerWriters(WRITERS);
  await createInitialAdminTokens(db, [ADMIN_TOKEN]);
  const people = await makeSetupData(db);
  env.PASSWORD = String(people.find(person => person.username === 'ada')?.password);
  await db.destroy();
});
afterAll(async () => {
  await discardDatabase(demo);
  rmSync(folder, { recursive: true, force: true });
});

let instanceCount = 0;

/** Sets up a fresh instance with the demo data. */
function useInstance(): void {
  const name = `${demo}_${++instanceCount}`;
  const openResources: { close: () => Promise<void> }[] = [];
  beforeAll(async () => {
    Object.assign(page, { variables: {}, programs: [], printed: '', compared: 0 });
    await copyDatabase(demo, name);
    const db = openDb({ url: getDatabaseUrl(name), poolSize: 4, onError: () => {} });
    const port = await findFreePort();
    env.URL = `http://127.0.0.1:${port}`;
    // Requests with a cookie must come from a page at the public URL.
    const settings = { ...APP_SETTINGS, publicUrl: env.URL };
    const app = await buildApp(db, settings, { ...strictSerializer, longReadDb: db });
    const stop = await keepCurrent(
      app.serving,
      listenForChanges(getDatabaseUrl(name)),
      { warn: () => {} },
      app.metrics,
    );
    await app.listen({ host: '127.0.0.1', port });
    const flushing = startFlushLoop(app.usage, db, { warn: () => {} }, app.metrics);
    // Where a reader would wait until the server has written SDK reports, this forces the server to write them.
    const flusher = createHttpServer(
      (_request, response) => void flushing.flush().then(() => response.end()),
    );
    flusher.listen(0, '127.0.0.1');
    await once(flusher, 'listening');
    env.FLUSH_URL = `http://127.0.0.1:${(flusher.address() as AddressInfo).port}`;
    const closeFlusher = async () => {
      flusher.close();
    };
    openResources.push(app, { close: stop }, { close: flushing.stop }, { close: closeFlusher });
    openResources.push({ close: () => db.destroy() });
  });
  afterAll(async () => {
    for (const pid of page.programs) killGroup(pid);
    for (const part of openResources) await part.close();
    await discardDatabase(name);
  });
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid);
  } catch {
    // All programs of the page have already ended.
  }
}

async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

function readBlocks(path: string): Block[] {
  const blocks: Block[] = [];
  const lines = readFileSync(new URL(path, ROOT), 'utf8').split('\n');
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
 * Returns the shell examples of a page, each with the output that the page shows next: `json`, or `text`. They run in order, with
 * URL and TOKEN set as in the README, and PASSWORD. `sh fails` marks an example whose request is rejected on purpose, `sh
 * background` one that starts a program, `text background` the next output of that program, and `sh no-run` an example for the
 * reader's own system.
 */
function readExamples(path: string): Example[] {
  return readBlocks(path).flatMap((block, n, blocks) => {
    const { line, language, text } = block;
    if (language === 'text background')
      return [{ line, script: '', fails: false, background: true, shown: block }];
    if (!['sh', 'sh fails', 'sh background'].includes(language)) return [];
    const nextBlock = blocks[n + 1];
    const shownBlock = nextBlock && ['json', 'text'].includes(nextBlock.language) ? nextBlock : undefined;
    const background = language === 'sh background';
    return [{ line, script: text, fails: language === 'sh fails', background, shown: shownBlock }];
  });
}

function start(script: string, detached: boolean): ChildProcessByStdio<null, Readable, Readable> {
  // --fail-with-body gives curl an exit code for an error response, and still prints it. It cannot be combined with -f.
  const fails = `case " $* " in *" -sSf "*) ;; *) set -- --fail-with-body "$@" ;; esac`;
  const halyard = `halyard() { '${process.execPath}' '${CLI}' "$@"; }`;
  const bash = `set -euo pipefail; ${halyard}; curl() { ${fails}; command curl "$@"; }; sleep() { command curl -s "$FLUSH_URL"; }\n${script}`;
  return spawn('bash', ['-c', bash], {
    cwd: folder,
    // SDKs keep a backup of the flags in the temp folder. Programs of other tests must not share it.
    env: {
      ...COMPILE_CACHE,
      PATH: process.env.PATH,
      TMPDIR: folder,
      ...env,
      // Makes the CLI behave as for a reader who is logged in and works on a terminal.
      ...{ HALYARD_SERVER: env.URL, HALYARD_TOKEN: ADMIN_TOKEN, HALYARD_OUTPUT: 'text' },
      XDG_CONFIG_HOME: folder,
      ...page.variables,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached,
  });
}

async function run(script: string): Promise<{ code: number; output: string }> {
  // The README sets URL and TOKEN for its reader. Here they are already set.
  const names = [...script.matchAll(/^(?!URL=|TOKEN=)([A-Z_]+)=/gm)].map(([, name]) => String(name));
  const child = start([script, ...names.map(name => `echo "$${name}" > ${name}`)].join('\n'), false);
  const chunks: string[] = [];
  child.stdout.on('data', chunk => chunks.push(String(chunk)));
  child.stderr.on('data', chunk => chunks.push(String(chunk)));
  const [code] = await once(child, 'close');
  for (const name of code === 0 ? names : [])
    page.variables[name] = readFileSync(join(folder, name), 'utf8').trim();
  return { code, output: chunks.join('').replaceAll(String(env.URL), PUBLIC_URL) };
}

/** Starts a program that runs until the end of the page, in a separate process group, so that its children can be stopped too. */
function runInBackground(script: string): void {
  const child = start(script, true);
  if (child.pid !== undefined) page.programs.push(child.pid);
  const add = (chunk: unknown) => {
    page.printed += String(chunk);
  };
  child.stdout.on('data', add);
  child.stderr.on('data', add);
}

async function expectPrinted({ shown: shownBlock }: Example): Promise<void> {
  await expect
    .poll(() => page.printed.slice(page.compared).trim())
    .toMatch(toPattern(shownBlock?.text.trim() ?? ''));
  page.compared = page.printed.length;
}

function expectShown(output: string, shownBlock: Block | undefined): void {
  if (shownBlock?.language === 'json') {
    const documents = parseShown(shownBlock.text);
    const actual = parseShown(output);
    expect(actual.map((document, n) => alignWith(documents[n], document))).toEqual(documents);
  } else if (!toPattern(shownBlock?.text.trim() ?? '').test(output.trim())) {
    expect(output).toBe(shownBlock?.text ?? '');
  }
}

const pages = FOLDERS.flatMap(name =>
  readdirSync(new URL(name, ROOT))
    .filter(file => file.endsWith('.md') && (name !== '' || file === 'README.md'))
    .toSorted()
    .map(file => `${name}${file}`),
);

describe.each(pages.filter(path => readExamples(path).length > 0))('%s', path => {
  useInstance();

  test.each(readExamples(path))('the example on line $line prints what the page shows', async example => {
    if (example.background) {
      if (example.script !== '') runInBackground(example.script);
      return await expectPrinted(example);
    }
    const { code, output } = await run(example.script);

    expect({ failed: code !== 0, output }).toEqual({ failed: example.fails, output });
    expectShown(output, example.shown);
  });
});

// The demo has different sample data than a clone of the repository, so these pages cannot rely on existing flags.
test.each([
  'docs/how-to/use-a-server-sdk.md',
  'docs/how-to/use-a-browser-sdk.md',
  'docs/how-to/use-openfeature.md',
])('%s creates the flags that it uses', path => {
  const text = readFileSync(new URL(path, ROOT), 'utf8');
  const used = [...text.matchAll(/\/features\/([\w.-]+)/g)].map(([, name = '']) => name);

  expect(used).not.toEqual([]);
  for (const name of used) expect(text).toContain(`-d '{"name":"${name}"`);
});

test.each(pages.filter(path => path.startsWith('docs/reference/')))('%s opens with an example', path => {
  const text = readFileSync(new URL(path, ROOT), 'utf8');
  const [beforeTable = ''] = text.split(/^\|/m);

  expect(beforeTable).toMatch(/^```sh/m);
});
