import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { accessible } from './support/accessible.ts';
import { createPerson, createProject } from './support/api.ts';
import { testWithOwnServer } from './support/test.ts';

const test = testWithOwnServer();
const MODULES = fileURLToPath(new URL('../../node_modules/', import.meta.url));
/** The goal for a new user. */
const MAX_CLICKS = 12;

/** Logs in on the login page, and then counts every click. */
async function logInAndCount(page: Page, { username, password }: { username: string; password: string }) {
  await page.goto('/');
  await page.getByLabel(/username/i).fill(username);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Your first flag in three steps' }).waitFor();
  await page.evaluate(() => {
    document.addEventListener('click', event => event.isTrusted && clicks.count++, true);
    const clicks = { count: 0 };
    Object.assign(window, { clicks });
  });
  return () => page.evaluate(() => (window as unknown as { clicks: { count: number } }).clicks.count);
}

const step = (page: Page, title: string) => page.getByRole('region', { name: title });
const program = async (page: Page) => (await page.getByRole('tabpanel').textContent()) ?? '';

/** Runs a program as a user would, until the caller has seen enough. The file is next to the installed packages. */
async function startNode(source: string) {
  const folder = await mkdtemp(join(tmpdir(), 'halyard-first-run-'));
  await symlink(MODULES, join(folder, 'node_modules'));
  await writeFile(join(folder, 'program.mjs'), source);
  const child = spawn(process.execPath, ['program.mjs'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  return {
    output: () => output,
    isRunning: () => child.exitCode === null,
    stop: async () => {
      if (child.exitCode === null) {
        child.kill();
        await once(child, 'exit');
      }
      await rm(folder, { recursive: true });
    },
  };
}

test('leads a new user to a flag that a Node program evaluates, in at most 12 clicks', async ({
  page,
  api,
}) => {
  const person = await createPerson(api, { name: 'Ada', rootRole: 'Admin' });
  const startedAt = Date.now();
  const clicks = await logInAndCount(page, person);

  await page.getByText('Welcome, Ada').waitFor();
  await accessible(page);
  await step(page, 'Create a flag').getByRole('button', { name: 'Create flag' }).click();
  await step(page, 'Create a flag').getByText('Done').waitFor();
  await page.getByRole('button', { name: 'Create token for a server' }).click();
  await page.getByLabel('I have stored the secret').check();
  await step(page, 'Connect your application').getByText('Waiting for the first SDK…').waitFor();
  await accessible(page);
  // As copied, unchanged.
  const running = await startNode(await program(page));

  await step(page, 'Connect your application').getByText('Done').waitFor();
  await step(page, 'See the first evaluation').getByText('Done').waitFor();
  await page.getByText('3 of 3 steps done').waitFor();
  await step(page, 'See the first evaluation')
    .getByText(/\d enabled, 0 disabled/)
    .waitFor();
  const seconds = Math.round((Date.now() - startedAt) / 1000);
  process.stdout.write(`First run: ${await clicks()} clicks, ${seconds} s.\n`);
  expect(await clicks()).toBeLessThanOrEqual(MAX_CLICKS);
  await accessible(page);
  await page.getByRole('switch', { name: 'new-checkout in development' }).click();
  await expect
    .poll(() => api.send('GET', '/api/admin/projects/default/features/new-checkout/environments/development'))
    .toMatchObject({ enabled: false });
  // The program shows the result of the toggle, and runs until its user stops it.
  await expect
    .poll(running.output, { timeout: 60_000 })
    .toMatch(/new-checkout true[\s\S]*new-checkout false/);
  expect(running.isRunning()).toBe(true);
  await running.stop();
  await page.getByRole('button', { name: 'Go to the home page' }).click();
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
});

/** A page on a different site with the program, and the package that it imports. */
async function startSite(source: string) {
  const files: Record<string, [string, string | Buffer]> = {
    '/': [
      'text/html',
      '<script type="importmap">{"imports":{"unleash-proxy-client":"/sdk.js"}}</script><script type="module" src="/app.js"></script>',
    ],
    '/app.js': ['text/javascript', source],
    '/sdk.js': ['text/javascript', await readFile(`${MODULES}unleash-proxy-client/build/main.esm.js`)],
  };
  const server = createServer(({ url = '' }, response) => {
    const [type, body] = files[url] ?? ['text/plain', ''];
    response.writeHead(200, { 'content-type': type }).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}/`,
    close: () => server.close(),
  };
}

test('a page with the browser SDK connects too, and a reload does not show the secret again', async ({
  page,
  newPage,
  api,
}) => {
  await logInAndCount(page, await createPerson(api, { rootRole: 'Admin' }));
  const name = page.getByLabel('Name');
  await name.fill('a b');
  await page.getByRole('button', { name: 'Create flag' }).click();
  await expect.poll(() => name.getAttribute('aria-invalid')).toBe('true');
  await name.fill('banner');
  await page.getByRole('button', { name: 'Create flag' }).click();
  await page.getByRole('button', { name: 'Create token for a server' }).click();
  await page.getByRole('tab', { name: 'Browser' }).click();
  await page.getByRole('tabpanel').getByRole('button', { name: 'Create token for a browser' }).click();
  await page.getByRole('tabpanel').getByText('UnleashClient').first().waitFor();
  const source = await program(page);
  await page.getByLabel('I have stored the secret').check();
  await page.reload();
  await page.getByText('its secret was shown once').waitFor();
  await accessible(page);

  const site = await startSite(source);
  const visitor = await newPage();
  await visitor.goto(site.url);

  await step(page, 'Connect your application').getByText('Done').waitFor();
  await step(page, 'See the first evaluation').getByText('Done').waitFor();
  site.close();
});

test('hides the steps on request, and when a second project exists', async ({ page, api }) => {
  const person = await createPerson(api, { rootRole: 'Admin' });
  await logInAndCount(page, person);

  await page.getByRole('button', { name: 'Hide these steps' }).click();
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
  await page.evaluate(() => localStorage.clear());
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'Your first flag' }).waitFor();
  await createProject(api);
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
});
