import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { accessible } from './support/accessible.ts';
import { type Api, createFlag, createProject, unique } from './support/api.ts';
import { flagWithStrategy } from './support/flag.ts';
import { visit } from './support/open-page.ts';
import { test, testAsAdmin, testBehindFront } from './support/test.ts';

const titleOf = (page: Page) => page.getByRole('textbox', { name: 'Title' });
const save = (page: Page) => page.getByRole('button', { name: /^Save to production/ }).click();
const conflict = (page: Page) => page.getByText('while you edited it');

/** Types the title of a strategy, and does not save it. */
async function typeTitle(page: Page, api: Api, title: string) {
  const flag = await flagWithStrategy(api);
  await visit(page, `${flag.address}?edit=${flag.id}`);
  await titleOf(page).fill(title);
  return flag;
}

/** Reloads, and accepts that the browser asks about unsaved input. */
async function reload(page: Page): Promise<void> {
  page.once('dialog', dialog => void dialog.accept());
  await page.reload();
}

testBehindFront(
  'an editor keeps its input if the network is back before the server',
  async ({ page, api, server, logInAs, tolerated }) => {
    tolerated.push(/ERR_|Failed to load resource/);
    await logInAs({ rootRole: 'Admin' });
    await typeTitle(page, api, 'Mine');

    await page.context().setOffline(true);
    server.front.state = 'down';
    await page.context().setOffline(false);
    await page.getByText('The server is not available at the moment.').waitFor();
    await page.waitForTimeout(1500);
    expect(await titleOf(page).inputValue()).toBe('Mine');
    server.front.state = 'up';

    await page.getByText('The server is not available at the moment.').waitFor({ state: 'hidden' });
    expect(await titleOf(page).inputValue()).toBe('Mine');
  },
);

testBehindFront(
  'a save during an outage is retried until the server is back, and can be stopped',
  async ({ page, api, server, logInAs, tolerated }) => {
    tolerated.push(/ERR_|Failed to load resource/);
    await logInAs({ rootRole: 'Admin' });
    const { strategies } = await typeTitle(page, api, 'First');
    const waiting = page.getByText('1 change is not saved yet. Halyard keeps trying.');

    server.front.state = 'down';
    await save(page);
    await waiting.waitFor();
    await accessible(page);
    await page.getByRole('button', { name: 'Stop trying' }).click();
    await page.getByText('Cancelled. The server did not respond').waitFor();
    await waiting.waitFor({ state: 'hidden' });
    expect(await titleOf(page).inputValue()).toBe('First');
    await save(page);
    await waiting.waitFor();
    server.front.state = 'up';

    await page.getByText('Saved to production.').waitFor();
    const [stored] = await api.send<{ title: string }[]>('GET', strategies);
    expect(stored?.title).toBe('First');
    expect(await waiting.count()).toBe(0);
  },
);

/** The next writes reach the server, and their responses get lost. */
async function loseResponses(page: Page, count: number): Promise<void> {
  let left = count;
  await page.route('**/api/admin/**', async route => {
    if (route.request().method() === 'GET' || left === 0) return await route.fallback();
    left--;
    await route.fetch();
    await route.abort('connectionreset');
  });
}

testAsAdmin('a lost response is neither a conflict nor a second change', async ({ page, api, tolerated }) => {
  tolerated.push(/ERR_CONNECTION_RESET/);
  const { address, name, strategies } = await typeTitle(page, api, 'Mine');

  await loseResponses(page, 2);
  await save(page);

  await page.getByText('Saved to production.').waitFor();
  expect(await conflict(page).count()).toBe(0);
  const { events } = await api.send<{ events: { type: string }[] }>(
    'GET',
    `/api/admin/search/events?feature=IS:${name}`,
  );
  expect(events.filter(({ type }) => type === 'feature-strategy-update')).toHaveLength(1);

  await page.goto(`${address}?edit=new`);
  await page.getByLabel('Rollout in percent').fill('25');
  await loseResponses(page, 1);
  await save(page);
  await page.getByText('Saved to production.').waitFor();
  expect(await api.send<unknown[]>('GET', strategies)).toHaveLength(2);
});

testAsAdmin(
  'input that is edited again while it is saved does not conflict with its own first save',
  async ({ page, api, tolerated }) => {
    tolerated.push(/ERR_CONNECTION_RESET/);
    const { strategies } = await typeTitle(page, api, 'First');
    await loseResponses(page, 100);
    await save(page);
    await page.getByRole('button', { name: 'Stop trying' }).click();
    await page.unroute('**/api/admin/**');

    await titleOf(page).fill('Second');
    await reload(page);
    await page.getByText('Your unsaved input is restored.').waitFor();
    expect(await titleOf(page).inputValue()).toBe('Second');
    await save(page);

    await page.getByText('Saved to production.').waitFor();
    const [stored] = await api.send<{ title: string }[]>('GET', strategies);
    expect(stored?.title).toBe('Second');
  },
);

testAsAdmin('input survives a reload until it is saved or discarded', async ({ page, api }) => {
  const { address, id } = await typeTitle(page, api, 'Mine');

  await reload(page);
  await page.getByText('Your unsaved input is restored.').waitFor();
  expect(await titleOf(page).inputValue()).toBe('Mine');
  await page.getByText('1 change', { exact: true }).waitFor();
  await accessible(page);
  await page.getByRole('button', { name: 'Discard', exact: true }).click();
  await page.goto(`${address}?edit=${id}`);
  await titleOf(page).waitFor();
  expect(await titleOf(page).inputValue()).toBe('Gradual rollout');

  await titleOf(page).fill('Saved');
  await save(page);
  await page.getByText('Saved to production.').waitFor();
  expect(await page.evaluate(() => Object.keys(sessionStorage).filter(key => key.includes('draft')))).toEqual(
    [],
  );
});

testAsAdmin(
  'restored input is a conflict immediately if somebody else has changed the same thing',
  async ({ page, api }) => {
    const { id, strategies } = await typeTitle(page, api, 'Mine');
    await api.send('PUT', `${strategies}/${id}`, {
      name: 'flexibleRollout',
      title: 'Theirs',
      parameters: {},
    });

    await reload(page);

    await page.getByText('admin token changed this strategy').or(conflict(page)).first().waitFor();
    await accessible(page);
    await page.getByRole('button', { name: 'Continue with mine' }).click();
    expect(await titleOf(page).inputValue()).toBe('Mine');
  },
);

testAsAdmin(
  'a strategy that somebody deletes keeps its editor, and saving adds it again',
  async ({ page, api, tolerated }) => {
    tolerated.push(/404/);
    const { id, strategies } = await typeTitle(page, api, 'Mine');
    await api.send('DELETE', `${strategies}/${id}`);

    await page.getByText('Somebody deleted this strategy while you edited it.').waitFor();
    expect(await titleOf(page).inputValue()).toBe('Mine');
    await accessible(page);
    await reload(page);
    await page.getByText('Somebody deleted this strategy while you edited it.').waitFor();
    expect(await titleOf(page).inputValue()).toBe('Mine');
    await save(page);

    await page.getByText('Saved to production.').waitFor();
    const stored = await api.send<{ title: string }[]>('GET', strategies);
    expect(stored.map(({ title }) => title)).toEqual(['Mine']);
  },
);

test('input survives the end of the session and a reload, and a different user does not get it', async ({
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
  await page.getByText('Your unsaved input is restored.').waitFor();
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
  await page.getByLabel(/^Address/).fill(secret);
  expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain(secret);
  await page.reload();
  await page.getByText('Your unsaved input is restored.').waitFor();
  expect(await page.getByLabel('Description').inputValue()).toBe('Change log');
});

testAsAdmin('a failed toggle undoes only itself', async ({ page, api, tolerated }) => {
  const project = await createProject(api);
  const [one, other] = [await createFlag(api, project), await createFlag(api, project)];
  tolerated.push(/500/);
  await visit(page, `/projects/${project}`);
  const toggle = (flag: string) => page.getByRole('switch', { name: new RegExp(`^${flag}.*development`) });
  let fail: (() => void) | undefined;
  await page.route(`**/features/${one}/environments/development/on`, async route => {
    await new Promise<void>(resolve => {
      fail = resolve;
    });
    await route.fulfill({ status: 500, json: { message: 'Broken.' } });
  });
  // Polls would correct a wrong state: here they show what the optimistic update did.
  await toggle(one).click();
  await toggle(other).click();
  await page.getByText(`${other} is enabled in development.`).waitFor();
  await page.route('**/api/admin/search/features**', route => route.abort());
  tolerated.push(/ERR_FAILED/);
  fail?.();
  await page.getByText(`${one} was not enabled in development.`).waitFor();

  expect(await toggle(other).isChecked()).toBe(true);
  expect(await toggle(one).isChecked()).toBe(false);
});

testAsAdmin('the question before archiving takes the focus and keeps it', async ({ page, api }) => {
  const project = await createProject(api);
  const flag = await createFlag(api, project);
  await visit(page, `/projects/${project}/features/${flag}/settings`);
  await page.getByRole('button', { name: 'Archive this flag…' }).click();
  const dialog = page.getByRole('dialog', { name: `Archive ${flag}?` });
  const hasFocus = () => dialog.evaluate(element => element.contains(document.activeElement));

  await expect.poll(hasFocus).toBe(true);
  for (let press = 0; press < 5; press++) {
    await page.keyboard.press('Tab');
    expect(await hasFocus()).toBe(true);
  }
});
