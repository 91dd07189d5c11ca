import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import type { Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { expectAccessible } from './support/accessible.ts';
import { type Api, createFlag, createProject, unique } from './support/api.ts';
import { visit } from './support/open-page.ts';
import { retry } from './support/retry.ts';
import { testAsAdmin, testAsViewer, testBehindLoadBalancer, testWithOwnServer } from './support/test.ts';
import { expectDiscardConfirmation } from './support/unsaved.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
const accountHint = (page: Page) => page.getByText('To find the token of a service account');
const detail = (page: Page, name: string) => page.getByRole('complementary', { name });

const createToken = async (
  api: Api,
  fields: object = {},
): Promise<{ id: number; secret: string; name: string }> => {
  const name = `token-${unique()}`;
  const body = { tokenName: name, type: 'backend', environment: 'production', ...fields };
  return { ...(await api.send<{ id: number; secret: string }>('POST', '/api/admin/api-tokens', body)), name };
};

/** Runs a code sample from the page. */
function run(code: string): { child: ChildProcess; errors: () => string } {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code], { cwd: ROOT });
  let errors = '';
  child.stderr.on('data', chunk => {
    errors += chunk;
  });
  onTestFinished(() => void child.kill());
  return { child, errors: () => errors };
}

testAsAdmin(
  'creates a token, shows its secret once, and shows that the application connects',
  async ({ page, api, server }) => {
    const flag = await createFlag(api, await createProject(api));
    const name = `shop-${unique()}`;
    await visit(page, '/admin/tokens');
    await page.getByRole('button', { name: /^New token/ }).click();
    await page.getByLabel('Name').fill(name);
    await page.getByLabel('Environment').selectOption('production');
    await page.getByLabel('Last valid day').fill('2020-01-01');
    await page.getByRole('button', { name: 'Create token' }).click();
    await expect.poll(() => page.getByLabel('Last valid day').getAttribute('aria-invalid')).toBe('true');
    await expectAccessible(page);
    await page.getByLabel('Last valid day').fill('');
    await page.getByRole('button', { name: 'Create token' }).click();

    await page.getByRole('heading', { name }).waitFor();
    const secret = (await page.locator('code').first().textContent()) ?? '';
    const line = page.getByRole('status').filter({ hasText: /SDK|registered/ });
    await line.getByText('Waiting for the first SDK…').waitFor();
    const { height } = (await line.boundingBox()) ?? {};
    expect(await page.getByRole('button', { name: 'Done' }).isDisabled()).toBe(true);
    await expectAccessible(page);
    await page.getByRole('tab', { name: 'Browser' }).click();
    await page.getByText('this needs a token of type frontend').waitFor();
    await page.getByRole('tab', { name: 'Node' }).click();
    const code = (await page.getByRole('tabpanel').locator('pre').textContent()) ?? '';
    expect(code).toContain(secret);
    run(`${code}\nsetInterval(() => {}, 1000);`);

    await line.getByText(`${name} registered`).waitFor({ timeout: 60_000 });
    await line.getByRole('link', { name: 'Open application' }).waitFor();
    expect((await line.boundingBox())?.height).toBe(height);
    await expectAccessible(page);
    const response = await fetch(`${server.url}/api/client/metrics`, {
      method: 'POST',
      headers: { authorization: secret, 'content-type': 'application/json' },
      body: JSON.stringify({
        appName: name,
        instanceId: 'one',
        bucket: { start: new Date(), stop: new Date(), toggles: { [flag]: { yes: 1, no: 0 } } },
      }),
    });
    expect(response.status).toBe(202);
    await line.getByText(`evaluated ${flag}`).waitFor({ timeout: 60_000 });

    const confirmation = page.getByRole('dialog', { name: 'Leave without the secret?' });
    await page.getByRole('link', { name: 'API tokens' }).first().click();
    await confirmation.getByRole('button', { name: 'Cancel', exact: true }).click();
    await page.getByLabel('I have stored the secret').check();
    await page.getByRole('button', { name: 'Done' }).click();
    await detail(page, name).getByRole('link', { name }).waitFor();
    expect(await page.getByText(secret).count()).toBe(0);
    await expectAccessible(page);
  },
);

testAsAdmin('the Node sample on the page keeps running while the server is down', async ({ page }) => {
  await visit(page, '/admin/tokens/new');
  await page.getByLabel('Name').fill(`shop-${unique()}`);
  await page.getByRole('button', { name: 'Create token' }).click();
  const code = (await page.getByRole('tabpanel').locator('pre').textContent()) ?? '';

  const { child, errors } = run(
    `${code.replace(/http:\/\/localhost:\d+/, 'http://127.0.0.1:9')}\nsetInterval(() => {}, 1000);`,
  );

  await expect.poll(errors, { timeout: 60_000 }).toContain('flags:');
  expect(child.exitCode).toBeNull();
});

testAsAdmin('the state filter fits into a 360 px window', async ({ page, api }) => {
  await createToken(api);
  await page.setViewportSize({ width: 360, height: 740 });
  await visit(page, '/admin/tokens');
  const filter = page.getByText(/^Expires within 30 days \d/);
  await filter.waitFor();

  const box = await filter.boundingBox();
  expect(box && box.x + box.width).toBeLessThanOrEqual(340);
  await filter.click();
  await page.waitForURL('**/admin/tokens?state=expiring');
  await expectAccessible(page);
});

testAsAdmin(
  'finds a token that expires soon, extends it from its project, and rotates a secret without changing the last valid day',
  async ({ page, api }) => {
    const project = await createProject(api);
    const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
    const expiresAt = inDays(10);
    const { name } = await createToken(api, { projects: [project], expiresAt });
    const other = await createToken(api, { projects: [project], expiresAt: inDays(90) });
    await visit(page, `/projects/${project}/settings/tokens`);

    await row(page, other.name).waitFor();
    expect(await accountHint(page).count()).toBe(0);
    await page.getByText('Expires within 30 days 1').click();
    await page.getByText('1 token', { exact: true }).waitFor();
    await page.getByRole('columnheader', { name: 'Expires' }).waitFor();
    await row(page, name).locator(`time[datetime="${expiresAt}"]`).waitFor();
    await expectAccessible(page);

    await row(page, name).click();
    await detail(page, name).getByRole('button', { name: 'Change the expiry…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: '90 days' }).click();
    expect(await dialog.getByLabel('Last valid day').inputValue()).toBe(inDays(90).slice(0, 10));
    await dialog.getByRole('button', { name: '90 days', pressed: true }).waitFor();
    await dialog.getByRole('button', { name: 'Save the expiry' }).click();
    await page.getByText('No tokens match.').waitFor();

    await page.getByText('All 2').click();
    await row(page, other.name).click();
    await detail(page, other.name).getByRole('link', { name: 'Rotate the secret…' }).click();
    expect(await page.getByLabel('Last valid day').inputValue()).toBe(inDays(90).slice(0, 10));
  },
);

testAsAdmin(
  'the list of API tokens links to the service accounts, which have their own',
  async ({ page }) => {
    await visit(page, '/admin/tokens');

    await accountHint(page).getByRole('link').click();

    await page.getByRole('heading', { level: 1, name: 'Service accounts' }).waitFor();
  },
);

testAsAdmin('asks before it discards a new token', async ({ page }) => {
  await visit(page, '/admin/tokens/new');
  await page.getByLabel('Name').fill('checkout service');

  await expectDiscardConfirmation(page, page.getByLabel('Name'), [
    () => page.getByRole('link', { name: 'Cancel' }).click(),
  ]);
});

testAsAdmin('changes the expiry of a token, and deletes the token', async ({ page, api }) => {
  const { id, name } = await createToken(api);
  await visit(page, `/admin/tokens?query=${name}`);
  await row(page, name).click();

  await detail(page, name).getByText('No application has used this token').waitFor();
  await detail(page, name).getByRole('button', { name: 'Change the expiry…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Last valid day').fill('2099-12-31');
  await dialog.getByRole('button', { name: 'Save the expiry' }).click();
  await detail(page, name).getByText('31 Dec 2099').waitFor();
  await expectAccessible(page);
  await detail(page, name).getByRole('button', { name: 'Delete token…' }).click();
  await dialog.getByRole('button', { name: 'Delete token' }).click();

  await page.getByText(`Deleted ${name}.`).waitFor();
  expect(await api.send('GET', `/api/admin/api-tokens/${id}`)).toEqual({ tokens: [] });
});

testAsAdmin(
  "a concurrent change to a token's expiry is not overwritten until the user saves again",
  async ({ page, api }) => {
    const { id, name } = await createToken(api);
    const readExpiry = async () =>
      (await api.send<{ tokens: { expiresAt: string }[] }>('GET', `/api/admin/api-tokens/${id}`)).tokens[0]
        ?.expiresAt;
    await visit(page, `/admin/tokens?query=${name}&token=${id}`);
    await detail(page, name).getByRole('button', { name: 'Change the expiry…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Last valid day').fill('2099-12-31');
    await api.send('PUT', `/api/admin/api-tokens/${id}`, { expiresAt: '2098-06-30T00:00:00.000Z' });
    // The page behind the dialog already shows the other change.
    await page.getByText('30 Jun 2098').first().waitFor();

    await dialog.getByRole('button', { name: 'Save the expiry' }).click();
    await dialog.getByText('Somebody else changed the expiry to 2098-06-30 in the meantime.').waitFor();
    expect(await readExpiry()).toContain('2098-06-30');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Save the expiry' }).click();
    await page.getByText('Expiry saved.').waitFor();

    expect(await readExpiry()).toContain('2099-12-31');
  },
);

testAsAdmin(
  'rotates a secret by creating a second token, and links to the first so that it can be deleted',
  async ({ page, api }) => {
    const project = await createProject(api);
    const { id, name } = await createToken(api, { type: 'frontend', projects: [project] });
    await visit(page, `/admin/tokens?token=${id}`);
    await detail(page, name).getByRole('link', { name: 'Rotate the secret…' }).click();
    await page.getByRole('heading', { name: 'Rotate the secret', level: 1 }).waitFor();
    await page.getByText('Both tokens work').waitFor();
    expect(await page.getByLabel('Name').inputValue()).toBe(`${name} 2`);
    await page.getByRole('button', { name: 'Create token' }).click();
    await page.getByRole('heading', { name: `${name} 2`, level: 1 }).waitFor();
    await page.getByRole('tabpanel').getByText(`'${name}'`).waitFor();
    await page.getByLabel('I have stored the secret').check();
    await expectAccessible(page);

    const { tokens } = await api.send<{ tokens: { tokenName: string }[] }>('GET', '/api/admin/api-tokens');
    expect(tokens.filter(({ tokenName }) => tokenName.startsWith(name))).toMatchObject([
      { environment: 'production', projects: [project], type: 'frontend' },
      { environment: 'production', projects: [project], type: 'frontend' },
    ]);
    await page.getByRole('link', { name: `delete ${name}` }).click();
    await detail(page, name).getByRole('button', { name: 'Delete token…' }).waitFor();
  },
);

testAsViewer('names the permission that is required to read tokens', async ({ page }) => {
  await visit(page, '/admin/tokens');

  await page.getByText(/READ_CLIENT_API_TOKEN/).waitFor();
  expect(await accountHint(page).count()).toBe(0);
  expect(await page.getByRole('button', { name: /^New token/ }).getAttribute('aria-disabled')).toBe('true');
  await expectAccessible(page);
});

testBehindLoadBalancer(
  'after a server error, the page stays open and offers a retry',
  async ({ page, api, server, logInAs, tolerated }) => {
    tolerated.push(/responded with 500|status of 500/);
    const { name } = await createToken(api);
    await logInAs({ rootRole: 'Admin' });
    server.loadBalancer.broken = { paths: /^\/api\/admin\/api-tokens/, status: 500 };
    await page.goto(`/admin/tokens?query=${name}`);
    await page.getByRole('heading', { name: 'This part did not load' }).waitFor();

    delete server.loadBalancer.broken;
    await retry(page, row(page, name));
  },
);

testWithOwnServer()(
  'shows 5,000 tokens, and marks tokens that were unused for 30 days',
  async ({ page, server, logInAs }) => {
    const client = new pg.Client({ connectionString: server.databaseUrl });
    await client.connect();
    await client.query(
      `insert into api_tokens (hash, hint, type, name, environment, all_projects, created_at, seen_at)
     select decode(md5(n::text), 'hex'), '*:production.…' || n, 'backend', 'application ' || lpad(n::text, 4, '0'),
       'production', true, now() - interval '90 days', case when n % 10 = 0 then null else now() end
     from generate_series(1, 5000) as n`,
    );
    await client.end();
    await logInAs({ rootRole: 'Admin' });
    await page.goto('/admin/tokens');

    await row(page, 'application 0001').waitFor();
    expect(await page.getByRole('row').count()).toBeLessThan(60);
    expect(await row(page, 'application 0001').getByText('Unused').count()).toBe(0);
    await row(page, 'application 0010').getByText('Unused for 30 days').waitFor();
    await page.getByText('Unused for 30 days 500').click();
    await page.getByText('500 tokens', { exact: true }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('application 4990');
    await page.getByText('1 token', { exact: true }).waitFor();
    await row(page, 'application 4990').waitFor();
    await page.getByLabel('Search tokens').fill('nothing has this name');
    await page.getByText('No tokens match.').waitFor();
    await expectAccessible(page);
  },
);

testAsAdmin(
  'existing tokens and every project show how to connect, with a placeholder for the secret',
  async ({ page, api }) => {
    const project = await createProject(api);
    const flag = await createFlag(api, project);
    const { id, name, secret } = await createToken(api, { projects: [project], environment: 'development' });
    await visit(page, `/admin/tokens?token=${id}`);

    const code = detail(page, name).getByRole('tabpanel', { name: 'Node' });
    await code.getByText(`<secret of ${name}>`).waitFor();
    await expectAccessible(page);

    await visit(page, `/projects/${project}`);
    await page.getByRole('button', { name: 'Connect an SDK' }).click();
    const panel = page.getByRole('dialog', { name: 'Connect an SDK' });
    await panel.getByLabel('Token').waitFor();
    await expect.poll(() => panel.getByRole('tabpanel').textContent()).toContain(flag);
    expect(await panel.textContent()).not.toContain(secret);
    await expectAccessible(page);
    await panel.getByRole('link', { name: 'Create a token' }).click();
    await page.waitForURL(`/projects/${project}/settings/tokens/new`);
    await panel.waitFor({ state: 'detached' });
  },
);
