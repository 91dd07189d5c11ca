import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { expectAccessible } from './support/accessible.ts';
import { type Api, createFlag, createProject, unique } from './support/api.ts';
import { createFlagWithStrategy } from './support/flag.ts';
import { visit } from './support/open-page.ts';
import { test, testAsAdmin, testBehindLoadBalancer } from './support/test.ts';

const titleField = (page: Page) => page.getByRole('textbox', { name: 'Title' });
const save = (page: Page) => page.getByRole('button', { name: /^Save to production/ }).click();
const conflictMessage = (page: Page) => page.getByText('while you were editing it');

/** Types the title of a strategy without saving it. */
async function typeTitle(page: Page, api: Api, title: string) {
  const flag = await createFlagWithStrategy(api);
  await visit(page, `${flag.pagePath}?edit=${flag.id}`);
  await titleField(page).fill(title);
  return flag;
}

/** Reloads the page, and accepts the browser's dialog about unsaved input. */
async function reload(page: Page): Promise<void> {
  page.once('dialog', dialog => void dialog.accept());
  await page.reload();
}

testBehindLoadBalancer(
  'an editor keeps its input if the network returns before the server',
  async ({ page, api, server, logInAs, tolerated }) => {
    tolerated.push(/ERR_|Failed to load resource/);
    await logInAs({ rootRole: 'Admin' });
    await typeTitle(page, api, 'Mine');

    await page.context().setOffline(true);
    server.loadBalancer.state = 'down';
    await page.context().setOffline(false);
    await page.getByText('The server is not available at the moment.').waitFor();
    await page.waitForTimeout(1500);
    expect(await titleField(page).inputValue()).toBe('Mine');
    server.loadBalancer.state = 'up';

    await page.getByText('The server is not available at the moment.').waitFor({ state: 'hidden' });
    expect(await titleField(page).inputValue()).toBe('Mine');
  },
);

testBehindLoadBalancer(
  'a save during an outage is retried until the server is back, and can be stopped',
  async ({ page, api, server, logInAs, tolerated }) => {
    tolerated.push(/ERR_|Failed to load resource/);
    await logInAs({ rootRole: 'Admin' });
    const { strategies } = await typeTitle(page, api, 'First');
    const waitingMessage = page.getByText('1 change is not saved yet. Halyard keeps trying.');

    server.loadBalancer.state = 'down';
    await save(page);
    await waitingMessage.waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Stop trying' }).click();
    await page.getByText('Cancelled. The server did not respond').waitFor();
    await waitingMessage.waitFor({ state: 'hidden' });
    expect(await titleField(page).inputValue()).toBe('First');
    await save(page);
    await waitingMessage.waitFor();
    server.loadBalancer.state = 'up';

    await page.getByText('Saved to production.').waitFor();
    const [storedStrategy] = await api.send<{ title: string }[]>('GET', strategies);
    expect(storedStrategy?.title).toBe('First');
    expect(await waitingMessage.count()).toBe(0);
  },
);

/** Loses the responses to the next writes after the server has applied them. */
async function loseResponses(page: Page, count: number): Promise<void> {
  let responsesToLose = count;
  await page.route('**/api/admin/**', async route => {
    if (route.request().method() === 'GET' || responsesToLose === 0) return await route.fallback();
    responsesToLose--;
    await route.fetch();
    await route.abort('connectionreset');
  });
}

testAsAdmin('a lost response is neither a conflict nor a second change', async ({ page, api, tolerated }) => {
  tolerated.push(/ERR_CONNECTION_RESET/);
  const { pagePath, name, strategies } = await typeTitle(page, api, 'Mine');

  await loseResponses(page, 2);
  await save(page);

  await page.getByText('Saved to production.').waitFor();
  expect(await conflictMessage(page).count()).toBe(0);
  const { events } = await api.send<{ events: { type: string }[] }>(
    'GET',
    `/api/admin/search/events?feature=IS:${name}`,
  );
  expect(events.filter(({ type }) => type === 'feature-strategy-update')).toHaveLength(1);

  await page.goto(`${pagePath}?edit=new`);
  await page.getByLabel('Rollout in percent').fill('25');
  await loseResponses(page, 1);
  await save(page);
  await page.getByText('Saved to production.').waitFor();
  expect(await api.send<unknown[]>('GET', strategies)).toHaveLength(2);
});

testAsAdmin(
  'input that is edited after a cancelled save does not conflict with that save',
  async ({ page, api, tolerated }) => {
    tolerated.push(/ERR_CONNECTION_RESET/);
    const { strategies } = await typeTitle(page, api, 'First');
    await loseResponses(page, 100);
    await save(page);
    await page.getByRole('button', { name: 'Stop trying' }).click();
    await page.unroute('**/api/admin/**');

    await titleField(page).fill('Second');
    await reload(page);
    await page.getByText('Your unsaved input was restored.').waitFor();
    expect(await titleField(page).inputValue()).toBe('Second');
    await save(page);

    await page.getByText('Saved to production.').waitFor();
    const [storedStrategy] = await api.send<{ title: string }[]>('GET', strategies);
    expect(storedStrategy?.title).toBe('Second');
  },
);

testAsAdmin('input survives a reload until it is saved or discarded', async ({ page, api }) => {
  const { pagePath, id } = await typeTitle(page, api, 'Mine');

  await reload(page);
  await page.getByText('Your unsaved input was restored.').waitFor();
  expect(await titleField(page).inputValue()).toBe('Mine');
  await page.getByText('1 change', { exact: true }).waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Discard', exact: true }).click();
  await page.goto(`${pagePath}?edit=${id}`);
  await titleField(page).waitFor();
  expect(await titleField(page).inputValue()).toBe('Gradual rollout');

  await titleField(page).fill('Saved');
  await save(page);
  await page.getByText('Saved to production.').waitFor();
  expect(await page.evaluate(() => Object.keys(sessionStorage).filter(key => key.includes('draft')))).toEqual(
    [],
  );
});

testAsAdmin(
  'restored input shows a conflict immediately if somebody else has changed the same field',
  async ({ page, api }) => {
    const { id, strategies } = await typeTitle(page, api, 'Mine');
    await api.send('PUT', `${strategies}/${id}`, {
      name: 'flexibleRollout',
      title: 'Theirs',
      parameters: {},
    });

    await reload(page);

    await page.getByText('admin token changed this strategy').or(conflictMessage(page)).first().waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Continue with mine' }).click();
    expect(await titleField(page).inputValue()).toBe('Mine');
  },
);

testAsAdmin(
  'if somebody deletes a strategy, its editor stays open, and saving adds the strategy again',
  async ({ page, api, tolerated }) => {
    tolerated.push(/404/);
    const { id, strategies } = await typeTitle(page, api, 'Mine');
    await api.send('DELETE', `${strategies}/${id}`);

    await page.getByText('Somebody deleted this strategy while you were editing it.').waitFor();
    expect(await titleField(page).inputValue()).toBe('Mine');
    await expectAccessible(page);
    await reload(page);
    await page.getByText('Somebody deleted this strategy while you were editing it.').waitFor();
    expect(await titleField(page).inputValue()).toBe('Mine');
    await save(page);

    await page.getByText('Saved to production.').waitFor();
    const storedStrategies = await api.send<{ title: string }[]>('GET', strategies);
    expect(storedStrategies.map(({ title }) => title)).toEqual(['Mine']);
  },
);

test('input survives the end of the session and a reload, but is not shown to a different user', async ({
  page,
  api,
  logInAs,
}) => {
  const project = await createProject(api);
  const flag = await createFlag(api, project);
  const settings = `/projects/${project}/features/${flag}/settings`;
  const person = await logInAs({ rootRole: 'Admin' });
  await page.goto(settings);
  const description = page.getByLabel('Description');
  await description.fill('Mine');
  await api.send('DELETE', `/api/admin/user-admin/${person.id}/sessions`);

  await reload(page);
  await page.getByLabel('Username or email address').fill(person.username);
  await page.getByLabel(/^Password/).fill(person.password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByText('Your unsaved input was restored.').waitFor();
  expect(await description.inputValue()).toBe('Mine');

  await logInAs({ rootRole: 'Admin' });
  await reload(page);
  await description.waitFor();
  expect(await description.inputValue()).toBe('');
  expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain('Mine');
});

testAsAdmin('forms keep their input in the tab, without secrets', async ({ page, api }) => {
  const project = await createProject(api);
  await visit(page, `/projects/${project}?edit=new`);
  await page.getByLabel('Name').fill('checkout-v9');
  await reload(page);
  await page.getByLabel('Name').waitFor();
  expect(await page.getByLabel('Name').inputValue()).toBe('checkout-v9');

  const secret = `https://example.com/hook/${unique()}`;
  page.on('dialog', dialog => void dialog.accept());
  await page.goto('/integrations/new/webhook');
  await page.getByLabel('Description').fill('Change log');
  await page.getByLabel(/^URL/).fill(secret);
  expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain(secret);
  await page.reload();
  await page.getByText('Your unsaved input was restored.').waitFor();
  expect(await page.getByLabel('Description').inputValue()).toBe('Change log');

  await page.goto('/admin/sign-in');
  await page.getByLabel('Client ID').fill('halyard');
  await page.getByLabel('Client secret').fill(secret);
  expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain(secret);
  await page.reload();
  await page.getByText('Your unsaved input was restored, except the client secret.').waitFor();
});

testAsAdmin(
  'a failed toggle reverts without reverting a different toggle',
  async ({ page, api, tolerated }) => {
    const project = await createProject(api);
    const [failingFlag, otherFlag] = [await createFlag(api, project), await createFlag(api, project)];
    tolerated.push(/500/);
    await visit(page, `/projects/${project}`);
    const toggle = (flag: string) => page.getByRole('switch', { name: new RegExp(`^${flag}.*development`) });
    let failRequest: (() => void) | undefined;
    await page.route(`**/features/${failingFlag}/environments/development/on`, async route => {
      await new Promise<void>(resolve => {
        failRequest = resolve;
      });
      await route.fulfill({ status: 500, json: { message: 'Broken.' } });
    });
    // Searches are blocked below, because a search would hide a wrong state of the optimistic update.
    await toggle(failingFlag).click();
    await toggle(otherFlag).click();
    await page.getByText(`${otherFlag} is enabled in development.`).waitFor();
    await page.route('**/api/admin/search/features**', route => route.abort());
    tolerated.push(/ERR_FAILED/);
    failRequest?.();
    await page.getByText(`${failingFlag} was not enabled in development.`).waitFor();

    expect(await toggle(otherFlag).isChecked()).toBe(true);
    expect(await toggle(failingFlag).isChecked()).toBe(false);
  },
);

testAsAdmin('the archive confirmation receives focus, and Tab does not leave it', async ({ page, api }) => {
  const project = await createProject(api);
  const flag = await createFlag(api, project);
  await visit(page, `/projects/${project}/features/${flag}/settings`);
  await page.getByRole('button', { name: 'Archive this flag…' }).click();
  const dialog = page.getByRole('dialog', { name: `Archive ${flag}?` });
  const hasFocus = () => dialog.evaluate(element => element.contains(document.activeElement));

  await expect.poll(hasFocus).toBe(true);
  for (let n = 0; n < 5; n++) {
    await page.keyboard.press('Tab');
    expect(await hasFocus()).toBe(true);
  }
});
