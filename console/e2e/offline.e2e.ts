import { expect } from 'vitest';
import { expectAccessible } from './support/accessible.ts';
import { createFlagWithStrategy } from './support/flag.ts';
import { test } from './support/test.ts';

test('a change that is made offline is not saved, and not sent later', async ({
  page,
  api,
  logInAs,
  tolerated,
}) => {
  const { pagePath, strategies, id } = await createFlagWithStrategy(api);
  await logInAs({ rootRole: 'Admin' });
  tolerated.push(/ERR_INTERNET_DISCONNECTED/);
  const readRollout = async () =>
    (await api.send<{ parameters: { rollout: string } }[]>('GET', strategies))[0]?.parameters.rollout;
  await page.goto(`${pagePath}?edit=${id}`);
  const percent = page.getByLabel('Rollout in percent');
  await percent.fill('60');

  await page.context().setOffline(true);
  await page.keyboard.press('Control+s');
  await page.getByText('Not saved: you are offline.').waitFor();
  expect(await percent.inputValue()).toBe('60 %');
  expect(await percent.isEnabled()).toBe(true);
  await page.context().setOffline(false);
  await page.getByText('The page shows the last known state.').waitFor({ state: 'hidden' });
  await page.waitForTimeout(500);
  expect(await readRollout()).toBe('50');
  await page.keyboard.press('Control+s');

  await page.getByText('Saved to production.').waitFor();
  expect(await readRollout()).toBe('60');
  await expectAccessible(page);
});

test('a page that cannot load offline shows a message, and opens when the user is online again', async ({
  newPage,
  logInAs,
  tolerated,
}) => {
  // Passes an option, because a window with options is new, and its cache does not have the page yet.
  const page = await newPage({ locale: 'en-GB' });
  await logInAs({ rootRole: 'Admin' }, page);
  tolerated.push(/ERR_INTERNET_DISCONNECTED|preload|dynamically imported/);
  await page.goto('/flags');
  await page.getByRole('heading', { level: 1, name: 'Flags' }).waitFor();

  await page.context().setOffline(true);
  await page.getByRole('link', { name: 'Integrations' }).click();
  await page.getByRole('heading', { name: 'This page cannot load while you are offline' }).waitFor();
  expect(await page.getByRole('heading', { level: 1, name: 'Flags' }).count()).toBe(0);
  await expectAccessible(page);
  await page.context().setOffline(false);

  await page.getByRole('heading', { level: 1, name: 'Integrations' }).waitFor();
  await expectAccessible(page);
});
