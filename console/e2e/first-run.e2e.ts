import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { build } from 'rolldown';
import { expect } from 'vitest';
import { expectAccessible } from './support/accessible.ts';
import { createPerson, createProject } from './support/api.ts';
import { testWithOwnServer } from './support/test.ts';

const test = testWithOwnServer();
const MODULES = fileURLToPath(new URL('../../node_modules/', import.meta.url));
/** The maximum number of clicks that a new user should need. */
const MAX_CLICKS = 12;

/** Logs in on the login page, and returns a function that counts the clicks since then. */
async function logInAndCountClicks(
  page: Page,
  { username, password }: { username: string; password: string },
) {
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
const readProgram = async (page: Page) => (await page.getByRole('tabpanel').textContent()) ?? '';

/** Runs a program next to the installed packages, as a user would, until the caller stops it. */
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
  const countClicks = await logInAndCountClicks(page, person);

  await page.getByText('Welcome, Ada').waitFor();
  await expectAccessible(page);
  await step(page, 'Create a flag').getByRole('button', { name: 'Create flag' }).click();
  await step(page, 'Create a flag').getByText('Done').waitFor();
  await page.getByRole('button', { name: 'Create token for a server' }).click();
  await page.getByLabel('I have stored the secret').check();
  await step(page, 'Connect your application').getByText('Waiting for the first SDK…').waitFor();
  await expectAccessible(page);
  // Runs the program exactly as copied, because most users do not edit it first.
  const nodeProgram = await startNode(await readProgram(page));

  await step(page, 'Connect your application').getByText('Done').waitFor();
  await step(page, 'See the first evaluation').getByText('Done').waitFor();
  await page.getByText('3 of 3 steps done').waitFor();
  await step(page, 'See the first evaluation')
    .getByText(/\d enabled, 0 disabled/)
    .waitFor();
  const seconds = Math.round((Date.now() - startedAt) / 1000);
  process.stdout.write(`First run: ${await countClicks()} clicks, ${seconds} s.\n`);
  expect(await countClicks()).toBeLessThanOrEqual(MAX_CLICKS);
  await expectAccessible(page);
  await page.getByRole('switch', { name: 'new-checkout in development' }).click();
  await expect
    .poll(() => api.send('GET', '/api/admin/projects/default/features/new-checkout/environments/development'))
    .toMatchObject({ enabled: false });
  // The program shows the result of the toggle, and runs until its user stops it.
  await expect
    .poll(nodeProgram.output, { timeout: 60_000 })
    .toMatch(/new-checkout true[\s\S]*new-checkout false/);
  expect(nodeProgram.isRunning()).toBe(true);
  await nodeProgram.stop();
  await page.getByRole('button', { name: 'Go to the home page' }).click();
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
});

type Files = Record<string, [type: string, body: string | Buffer]>;

/** Builds a site that runs the program. Its files are the page, the program and the SDK. */
const buildBrowserSite = async (source: string): Promise<Files> => ({
  '/': [
    'text/html',
    '<script type="importmap">{"imports":{"unleash-proxy-client":"/sdk.js"}}</script><script type="module" src="/app.js"></script>',
  ],
  '/app.js': ['text/javascript', source],
  '/sdk.js': ['text/javascript', await readFile(`${MODULES}unleash-proxy-client/build/main.esm.js`)],
});

/** Builds a site with the component, bundled with its packages as a React user would. */
async function buildReactSite(source: string): Promise<Files> {
  const folder = await mkdtemp(join(tmpdir(), 'halyard-first-run-'));
  await symlink(MODULES, join(folder, 'node_modules'));
  await writeFile(join(folder, 'app.jsx'), source);
  await writeFile(
    join(folder, 'main.jsx'),
    `import { createRoot } from 'react-dom/client';
    import { App } from './app.jsx';
    createRoot(document.getElementById('root')).render(<App />);`,
  );
  const { output } = await build({
    cwd: folder,
    input: './main.jsx',
    output: { format: 'iife' },
    write: false,
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
  });
  await rm(folder, { recursive: true });
  return {
    '/': ['text/html', '<div id="root"></div><script src="/app.js"></script>'],
    '/app.js': ['text/javascript', output[0].code],
  };
}

/** Serves the files on a different site. */
async function startSite(files: Files) {
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

test('connects a page with the browser SDK, and does not show the secret after a reload', async ({
  page,
  newPage,
  api,
}) => {
  await logInAndCountClicks(page, await createPerson(api, { rootRole: 'Admin' }));
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
  const source = await readProgram(page);
  await page.getByLabel('I have stored the secret').check();
  await page.reload();
  await page.getByText('its secret was shown once').waitFor();
  await expectAccessible(page);

  const site = await startSite(await buildBrowserSite(source));
  const visitorPage = await newPage();
  await visitorPage.goto(site.url);

  await step(page, 'Connect your application').getByText('Done').waitFor();
  await step(page, 'See the first evaluation').getByText('Done').waitFor();
  site.close();
});

test('leads a new user to a flag that a React page evaluates, in at most 12 clicks', async ({
  page,
  newPage,
  api,
}) => {
  const person = await createPerson(api, { rootRole: 'Admin' });
  const startedAt = Date.now();
  const countClicks = await logInAndCountClicks(page, person);
  await step(page, 'Create a flag').getByRole('button', { name: 'Create flag' }).click();
  await page.getByRole('button', { name: 'Create token for a server' }).click();
  await page.getByRole('tab', { name: 'React' }).click();
  await page.getByRole('tabpanel').getByRole('button', { name: 'Create token for a browser' }).click();
  await page.getByRole('tabpanel').getByText('FlagProvider').first().waitFor();
  await page.getByLabel('I have stored the secret').check();
  // Uses the component exactly as copied.
  const site = await startSite(await buildReactSite(await readProgram(page)));
  const visitorPage = await newPage();
  await visitorPage.goto(site.url);

  await visitorPage.getByText('new', { exact: true }).waitFor();
  await step(page, 'Connect your application').getByText('Done').waitFor();
  await step(page, 'See the first evaluation').getByText('Done').waitFor();
  const seconds = Math.round((Date.now() - startedAt) / 1000);
  process.stdout.write(`First run in a React page: ${await countClicks()} clicks, ${seconds} s.\n`);
  expect(await countClicks()).toBeLessThanOrEqual(MAX_CLICKS);
  site.close();
});

test('hides the steps on request, or if a second project exists', async ({ page, api }) => {
  const person = await createPerson(api, { rootRole: 'Admin' });
  await logInAndCountClicks(page, person);

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
