import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { createFlag, createProject } from './support/api.ts';
import { test } from './support/test.ts';

const list = (page: Page) => page.getByRole('table', { name: 'Flags' });
const offset = (page: Page) => list(page).evaluate(element => element.scrollTop);

test('Back and Forward return to where the reader was, and a new page starts at the top', async ({
  page,
  api,
  logInAs,
}) => {
  const project = await createProject(api);
  for (let n = 0; n < 30; n++) await createFlag(api, project);
  await logInAs();
  await page.setViewportSize({ width: 1280, height: 500 });
  await page.goto(`/projects/${project}`);
  await list(page).waitFor();

  await list(page).evaluate(element => element.scrollTo(0, 400));
  await expect.poll(() => offset(page)).toBe(400);
  // The rows before it are above the visible area.
  const link = list(page).getByRole('link').nth(12);
  await link.scrollIntoViewIfNeeded();
  const before = await offset(page);
  expect(before).toBeGreaterThan(0);
  await link.click();
  await page.waitForURL(/\/features\//);
  await page.goBack();
  await list(page).waitFor();
  await expect.poll(() => offset(page)).toBe(before);

  await page.getByRole('link', { name: 'Projects', exact: true }).first().click();
  await page.waitForURL('/projects');
  await page.getByRole('link', { name: 'Flags' }).first().click();
  await page.waitForURL(`/projects/${project}`);
  await list(page).getByRole('link').first().waitFor();
  expect(await offset(page)).toBe(0);
});
