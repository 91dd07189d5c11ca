import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { openPage } from '../support/open-page.ts';

const FLAG = 'gift-cards';
const PAGE = `/projects/payments/features/${FLAG}`;

/** Walks through docs/tutorials/release-a-feature-gradually.md, and takes its screenshots. */
export async function takeTutorialScreenshots(page: Page, folder: string): Promise<number> {
  let count = 0;
  const take = async (name: string) => {
    await page.screenshot({ path: join(folder, `tutorial-${name}.png`) });
    count++;
  };
  /** Waits for an entry of the recent changes, because messages disappear. */
  const waitForChange = (pattern: RegExp, number: number) =>
    page
      .getByText(pattern)
      .nth(number - 1)
      .waitFor();

  await page.setViewportSize({ width: 1280, height: 720 });
  await openPage(page, '/projects/payments');
  await page.keyboard.press('n');
  await page.getByLabel('Name').fill(FLAG);
  await page.getByLabel('Description').fill('Customers can buy gift cards');
  await take('create');
  await page.getByRole('button', { name: 'Create flag' }).click();
  await page.getByRole('heading', { level: 1, name: FLAG }).waitFor();

  await page.getByLabel('Enabled in development', { exact: true }).click();
  await waitForChange(/enabled flag/, 1);

  await openPage(page, `${PAGE}?environment=production`);
  await page.getByRole('button', { name: 'Add strategy' }).click();
  await page.getByRole('textbox', { name: 'Title' }).last().fill('Sweden first');
  await page.getByRole('button', { name: 'Add a constraint or segment' }).click();
  await page.getByRole('menuitem', { name: 'Constraint on a context field' }).click();
  await page.getByLabel('Context field').selectOption('country');
  await page.getByLabel('Values of country').fill('SE,');
  await page.getByLabel('Rollout in percent').fill('10');
  await page.getByLabel('Rollout in percent').press('Tab');
  await take('strategy');
  await page.getByRole('button', { name: /^Save to production/ }).click();
  await page.getByRole('button', { name: 'Sweden first' }).waitFor();

  await page.getByLabel('Enabled in production', { exact: true }).click();
  await page.getByRole('alertdialog').waitFor();
  await take('enable');
  await page.getByRole('button', { name: 'Enable', exact: true }).click();
  await waitForChange(/enabled flag/, 2);

  const table = ['userId,country', '42,SE', '7,SE', '42,NO'].join('\n');
  const form = { project: 'payments', feature: FLAG, environment: 'production', csv: table };
  await openPage(page, `/playground?${new URLSearchParams(form)}`);
  await take('playground');

  await openPage(page, `${PAGE}?environment=production`);
  await page.getByRole('button', { name: 'Sweden first' }).click();
  await page.getByLabel('Rollout in percent').fill('50');
  await page.getByLabel('Rollout in percent').press('Tab');
  await take('more');
  await page.getByRole('button', { name: /^Save to production/ }).click();
  await waitForChange(/updated strategy/, 1);
  await openPage(page, `${PAGE}/events`);
  await take('events');
  return count;
}
