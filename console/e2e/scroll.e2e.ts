import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { createFlag, createProject } from './support/api.ts';
import { visit } from './support/open-page.ts';
import { testAsViewer } from './support/test.ts';

const list = (page: Page) => page.getByRole('table', { name: 'Flags' });
const readOffset = (page: Page) => list(page).evaluate(element => element.scrollTop);

testAsViewer(
  'Back restores the scroll position of a list, and a new page starts at the top',
  async ({ page, api }) => {
    const project = await createProject(api);
    for (let n = 0; n < 30; n++) await createFlag(api, project);
    await page.setViewportSize({ width: 1280, height: 500 });
    await visit(page, `/projects/${project}`);
    const linkSelector = 'a[href*="/features/"]';
    await list(page).locator(linkSelector).first().waitFor();

    // The list replaces its rows while it scrolls, so a single call scrolls, follows a link that exists, and reads the offset.
    const offsetBefore = await list(page).evaluate(async (element, selector) => {
      element.scrollTo(0, 400);
      await new Promise(requestAnimationFrame);
      element.querySelector<HTMLElement>(selector)?.click();
      return element.scrollTop;
    }, linkSelector);
    expect(offsetBefore).toBe(400);
    await page.waitForURL(/\/features\//);
    await page.goBack();
    await list(page).waitFor();
    await expect.poll(() => readOffset(page)).toBe(offsetBefore);

    await page.getByRole('link', { name: 'Projects', exact: true }).first().click();
    await page.waitForURL('/projects');
    // The URL changes first. A link on the old page would lead back to the list, which would keep its position.
    await list(page).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Flags' }).first().click();
    await page.waitForURL(`/projects/${project}`);
    await list(page).getByRole('link').first().waitFor();
    expect(await readOffset(page)).toBe(0);
  },
);
