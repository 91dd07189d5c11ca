import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { rolldown } from 'rolldown';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { launch } from '../console/e2e/support/browser.ts';
import { makeFeature, makeProject } from '../server/src/test/factories.ts';
import { useHarness } from '../server/src/test/harness.ts';
import { call } from '../server/src/test/request.ts';
import { useSdkServer } from '../server/src/test/sdk-server.ts';
import { startTcpProxy, type TcpProxy } from '../server/src/test/tcp-proxy.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** The flags that the documented pages use. */
const FLAGS = {
  react: 'pay.gift-message',
  ofrep: 'pay.gift-points',
  vue: 'pay.gift-wrap',
  angular: 'pay.gift-card',
};
const buildEnvironmentPath = (flag: string) =>
  `/api/admin/projects/payments/features/${flag}/environments/production`;
/**
 * The SDK's polling interval in seconds. A new poll cancels the previous one, so with a shorter interval, a busy machine would never
 * finish a poll.
 */
const REFRESH_INTERVAL = 2;

const harness = useHarness();
const server = useSdkServer(harness);
// Inside the repository, so that the packages are found.
const folder = mkdtempSync(join(ROOT, 'clients/pages-'));
let browser: Browser;
let proxy: TcpProxy;
let token: string;
let pages: Server;
const scripts = new Map<string, string>();

beforeAll(async () => {
  await makeProject(harness.db, { id: 'payments' });
  for (const name of Object.values(FLAGS))
    await makeFeature(harness.db, 'payments', { name, type: 'release' });
  token = await server.token('production', ['payments'], 'frontend');
  proxy = await startTcpProxy('127.0.0.1', Number(new URL(server.url).port));
  browser = await launch();
  pages = createServer((request, response) => {
    const script = scripts.get(request.url ?? '');
    response.setHeader('content-type', script === undefined ? 'text/html' : 'text/javascript');
    response.end(
      script ?? `<body><div id="root"></div><script type="module" src="${request.url}.js"></script>`,
    );
  });
  pages.listen(0, '127.0.0.1');
  await once(pages, 'listening');
});

afterAll(async () => {
  await browser?.close();
  pages?.close();
  await proxy?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Restricts the flags to Ada, and disables them. */
beforeEach(async () => {
  const strategy = {
    name: 'flexibleRollout',
    parameters: { rollout: '100', stickiness: 'userId' },
    constraints: [{ contextName: 'userId', operator: 'IN', values: ['ada'] }],
    variants: [
      { name: 'blue', weight: 1_000, weightType: 'variable', payload: { type: 'string', value: '#0000ff' } },
    ],
  };
  for (const flag of Object.values(FLAGS)) {
    await call(harness.app, 'PUT', `${buildEnvironmentPath(flag)}/strategies`, { body: [strategy] });
    await toggle(flag, false);
  }
});

afterEach(() => proxy.restore());

async function toggle(flag: string, enabled: boolean): Promise<void> {
  const { status } = await call(
    harness.app,
    'POST',
    `${buildEnvironmentPath(flag)}/${enabled ? 'on' : 'off'}`,
  );
  expect(status).toBe(200);
}

const readPage = (page: string): string => readFileSync(join(ROOT, 'docs/how-to', page), 'utf8');

/** Returns a page's code from the documentation, with the URL and the token of this test. */
function readQuickStart(page: string): string {
  const code = /```js\n([\s\S]*?)```/.exec(readPage(page))?.[1] ?? '';
  const replaced = code
    .replace(/https:\/\/flags\.example\.com|http:\/\/localhost:4242/, `http://127.0.0.1:${proxy.port}`)
    .replace(/payments:\w+\.hyf_…/, token);
  expect(replaced).toContain(token);
  return replaced;
}

/** Bundles the code of a page, and opens the page on a separate origin. */
async function open(name: string, files: Record<string, string>): Promise<Page> {
  for (const [file, code] of Object.entries(files)) writeFileSync(join(folder, file), code);
  const build = await rolldown({
    input: join(folder, `${name}.jsx`),
    platform: 'browser',
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    logLevel: 'silent',
  });
  const { output } = await build.generate({ format: 'esm' });
  await build.close();
  scripts.set(`/${name}.js`, output[0].code);
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${(pages.address() as AddressInfo).port}/${name}`);
  return page;
}

async function waitForText(page: Page, text: string): Promise<void> {
  await page.waitForFunction(`document.body.innerText.includes(${JSON.stringify(text)})`, undefined, {
    polling: 10,
    timeout: 150_000,
  });
}

/** Toggles the flag several times, and expects the page to show each change. */
async function expectChanges(page: Page, flag: string, on: string, off: string): Promise<void> {
  for (let n = 0; n < 4; n++) {
    await toggle(flag, n % 2 === 0);
    await waitForText(page, n % 2 === 0 ? on : off);
  }
}

/** Disconnects the page while the flag changes, and expects the change when the connection is back. */
async function expectConvergence(page: Page, flag: string, on: string, off: string): Promise<void> {
  for (const enabled of [true, false]) {
    await page.context().setOffline(true);
    proxy.cut();
    await toggle(flag, enabled);
    await page.waitForTimeout(500);
    expect(await page.evaluate('document.body.innerText')).toContain(enabled ? off : on);
    proxy.restore();
    await page.context().setOffline(false);
    await waitForText(page, enabled ? on : off);
  }
}

test('a page with React shows changes, catches up after being offline, and keeps users apart', async () => {
  const page = await open('react', {
    'app.jsx': readQuickStart('use-react.md').replace(
      'refreshInterval: 30',
      `refreshInterval: ${REFRESH_INTERVAL}`,
    ),
    'react.jsx': `
      import { createRoot } from 'react-dom/client';
      import App from './app.jsx';
      createRoot(document.getElementById('root')).render(<App />);`,
  });
  const [on, off] = ['Add a message.', 'No messages.'];
  await waitForText(page, off);

  await expectChanges(page, FLAGS.react, on, off);
  await expectConvergence(page, FLAGS.react, on, off);

  await toggle(FLAGS.react, true);
  await waitForText(page, on);
  for (let n = 0; n < 10; n++) {
    await page.getByLabel('User').fill(n % 2 === 0 ? 'ben' : 'ada');
    await waitForText(page, n % 2 === 0 ? off : on);
    // A later poll must not bring back the previous user's value.
    for (let look = 0; look < 20; look++) {
      expect(await page.evaluate('document.body.innerText')).toContain(n % 2 === 0 ? off : on);
      await page.waitForTimeout(20);
    }
  }
  await page.close();
});

test('a page with Vue shows changes', async () => {
  const page = await open('vue', {
    'vue.jsx': `
      import { plugin, useFlag } from '@unleash/proxy-client-vue';
      import { createApp, h } from 'vue';
      const Page = { setup() { const flag = useFlag('${FLAGS.vue}'); return () => h('p', flag.value ? 'Wrap it.' : 'No wrapping.'); } };
      const config = {
        url: 'http://127.0.0.1:${proxy.port}/api/frontend',
        clientKey: '${token}',
        appName: 'vue',
        refreshInterval: ${REFRESH_INTERVAL},
        context: { userId: 'ada' },
      };
      createApp(Page).use(plugin, { config }).mount('#root');`,
  });
  const [on, off] = ['Wrap it.', 'No wrapping.'];
  await waitForText(page, off);

  await expectChanges(page, FLAGS.vue, on, off);
  await page.close();
});

test('a page with Angular shows changes', async () => {
  const page = await open('angular', {
    // The npm package is only partly compiled. Without Angular's build tools, the imported compiler does the rest in the browser.
    'angular.jsx': `
      import '@angular/compiler';
      import { Component, provideZonelessChangeDetection } from '@angular/core';
      import { bootstrapApplication } from '@angular/platform-browser';
      import { FeatureDisabledDirective, FeatureEnabledDirective, provideUnleashProxy } from '@karelics/angular-unleash-proxy-client';
      const Page = Component({
        selector: '#root',
        imports: [FeatureEnabledDirective, FeatureDisabledDirective],
        template: '<p *featureEnabled="flag">Add a card.</p><p *featureDisabled="flag">No cards.</p>',
      })(class { flag = '${FLAGS.angular}'; });
      const config = {
        url: 'http://127.0.0.1:${proxy.port}/api/frontend',
        clientKey: '${token}',
        appName: 'angular',
        refreshInterval: ${REFRESH_INTERVAL},
        context: { userId: 'ada' },
      };
      bootstrapApplication(Page, { providers: [provideZonelessChangeDetection(), provideUnleashProxy(config)] });`,
  });
  const [on, off] = ['Add a card.', 'No cards.'];
  await waitForText(page, off);

  await expectChanges(page, FLAGS.angular, on, off);
  await page.close();
});

test('the documented page shows changes and keeps users apart when it is opened as a file', async () => {
  const [, html = ''] = /<<END\n([\s\S]*?)\nEND\n/.exec(readPage('use-a-browser-sdk.md')) ?? [];
  const filled = html
    .replace('$URL', `http://127.0.0.1:${proxy.port}`)
    .replace('$FRONTEND_TOKEN', token)
    .replace('refreshInterval: 1,', `refreshInterval: ${REFRESH_INTERVAL},`);
  expect(filled).toContain(token);
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'index.html'), filled);
  const page = await browser.newPage();
  await page.goto(pathToFileURL(join(folder, 'index.html')).href);
  const [on, off] = ['Add a gift message.', 'No gift messages.'];
  await waitForText(page, off);

  await expectChanges(page, FLAGS.react, on, off);

  await toggle(FLAGS.react, true);
  await waitForText(page, on);
  const color = 'getComputedStyle(document.getElementById("message")).color';
  await expect.poll(() => page.evaluate(color)).toBe('rgb(0, 0, 255)');
  await page.getByLabel('User').fill('ben');
  await page.keyboard.press('Enter');
  await waitForText(page, off);
  await page.close();
});

test('a page with the OFREP web provider shows changes, catches up after being offline, and keeps users apart', async () => {
  const requests: string[] = [];
  const page = await open('ofrep', {
    'page.js': readQuickStart('use-openfeature.md'),
    'ofrep.jsx': `
      import './page.js';
      import { OpenFeature } from '@openfeature/web-sdk';
      window.as = async targetingKey => {
        await OpenFeature.setContext({ targetingKey });
        return OpenFeature.getClient().getStringValue('${FLAGS.ofrep}', 'none');
      };`,
  });
  page.on('request', request => requests.push(`${request.method()} ${new URL(request.url()).pathname}`));
  const [on, off] = ['#0000ff', 'none'];
  await waitForText(page, off);

  await expectChanges(page, FLAGS.ofrep, on, off);
  // A change takes one request. The provider does not poll.
  expect(requests.filter(request => request.startsWith('POST')).length).toBeLessThanOrEqual(8);
  await expectConvergence(page, FLAGS.ofrep, on, off);

  await toggle(FLAGS.ofrep, true);
  await waitForText(page, on);
  for (let n = 0; n < 20; n++) {
    const user = n % 2 === 0 ? 'ben' : 'ada';
    expect(await page.evaluate(`window.as(${JSON.stringify(user)})`)).toBe(user === 'ada' ? on : off);
  }

  // The provider stores flags. After a reload, the page must still show the flags of its own user.
  await page.evaluate('window.as("ben")');
  await toggle(FLAGS.ofrep, false);
  await page.reload();
  await waitForText(page, off);
  await toggle(FLAGS.ofrep, true);
  await waitForText(page, on);
  await page.close();
});
