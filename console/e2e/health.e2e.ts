import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { expectAccessible } from './support/accessible.ts';
import { type Api, createFlag, createProject, unique } from './support/api.ts';
import { visit } from './support/open-page.ts';
import { testAsAdmin, testAsViewer } from './support/test.ts';

/** Creates a project with four flags. Two of them are stale, so the health is 50. */
async function createStaleProject(api: Api): Promise<{ project: string; stale: [string, string] }> {
  const project = await createProject(api);
  const names: string[] = [];
  for (let i = 0; i < 4; i++) names.push(await createFlag(api, project));
  const [first = '', second = ''] = names;
  await api.send('POST', `/api/admin/projects/${project}/stale`, { features: [first, second], stale: true });
  return { project, stale: [first, second] };
}

const score = (page: Page, health: number, healthAfter: number) =>
  page.getByRole('img', { name: `Health ${health} of 100, ${healthAfter} after all repairs` });
const findingItem = (page: Page, name: string) => page.getByRole('listitem', { name, exact: true });

testAsAdmin('a fixed finding raises the score', async ({ page, api }) => {
  const { project, stale } = await createStaleProject(api);
  await visit(page, `/projects/${project}/health`);
  await score(page, 50, 100).waitFor();
  await page.getByText('100 − 100 × (2 stale + 0 potentially stale) / 4 flags').waitFor();
  // Archiving one stale flag leaves 1 of 3 flags stale, so the health is 67. Archiving both raises it to 100.
  await page.getByText('+50 points for both together').waitFor();
  await findingItem(page, stale[0]).getByText('+16.7').waitFor();
  await page.getByText('adds more than the sum of their points').waitFor();
  await expectAccessible(page);

  await findingItem(page, stale[0]).getByRole('button', { name: 'Unmark' }).click();
  await score(page, 75, 100).waitFor();
  await findingItem(page, stale[0]).waitFor({ state: 'hidden' });
  await findingItem(page, stale[1]).getByRole('button', { name: 'Archive…' }).click();
  await page.getByRole('button', { name: 'Archive flag' }).click();

  await score(page, 100, 100).waitFor();
  await page.getByText('No findings.').waitFor();
  await expectAccessible(page);
});

testAsAdmin(
  'a snoozed finding leaves the list, keeps its reason, and still counts against the health',
  async ({ page, api }) => {
    const { project, stale } = await createStaleProject(api);
    await visit(page, `/projects/${project}/health`);

    await findingItem(page, stale[0]).getByRole('button', { name: 'Snooze…' }).click();
    await page.getByLabel('Reason').fill('The campaign runs until spring');
    await expectAccessible(page);
    await page.getByRole('dialog').getByRole('button', { name: 'Snooze' }).click();

    await findingItem(page, stale[0]).waitFor({ state: 'hidden' });
    await page
      .getByRole('img', { name: 'Health 50 of 100, 67 after repairs, 100 including the snoozed one' })
      .waitFor();
    const pressedButton = (name: RegExp) => page.getByRole('button', { name, pressed: true });
    await pressedButton(/^All 1$/).waitFor();
    await page.getByRole('button', { name: '1 snoozed' }).click();
    await pressedButton(/^1 snoozed$/).waitFor();
    expect(await pressedButton(/^All/).count()).toBe(0);
    await findingItem(page, stale[0]).getByText('The campaign runs until spring').waitFor();
    await page.waitForURL(/snoozed=true/);
    await expectAccessible(page);
    await findingItem(page, stale[0]).getByRole('button', { name: 'Unsnooze' }).click();
    await page.getByText('No findings.').waitFor();
    await score(page, 50, 100).waitFor();
  },
);

testAsAdmin(
  'says what an exceeded budget prevents, and the server rejects a new flag',
  async ({ page, api }) => {
    const { project } = await createStaleProject(api);
    await visit(page, `/projects/${project}/health`);
    const budget = page.getByRole('region', { name: 'Debt budget' });

    await budget.getByRole('button', { name: 'Set…' }).click();
    await page.getByLabel('Maximum number of stale and potentially stale flags').fill('1');
    await page.getByRole('button', { name: 'Save' }).click();

    await budget.getByText('of 1 used').waitFor();
    await budget.getByText('Exceeded', { exact: true }).waitFor();
    await budget.getByText('creating, cloning, moving and importing flags').waitFor();
    await expectAccessible(page);
    await expect(createFlag(api, project, { name: `flag-${unique()}` })).rejects.toThrow('403');
  },
);

testAsViewer('shows the trend as a table, and keeps the range in the URL', async ({ page, api }) => {
  const { project } = await createStaleProject(api);
  await visit(page, `/projects/${project}/health`);
  const trend = page.getByRole('region', { name: 'Trend' });

  await trend.getByRole('button', { name: '90 days' }).click();
  await trend.getByRole('button', { name: 'Show table' }).click();

  await expect.poll(() => trend.getByRole('row').count()).toBe(91);
  await page.waitForURL(/days=90/);
  await expectAccessible(page);
});

testAsViewer(
  'a viewer reads the findings, and each action names the missing permission',
  async ({ page, api }) => {
    const { project, stale } = await createStaleProject(api);
    await visit(page, `/projects/${project}/health`);

    const finding = findingItem(page, stale[0]);
    for (const [button, permissionName] of [
      [finding.getByRole('button', { name: 'Unmark' }), '"Update flag"'],
      [finding.getByRole('button', { name: 'Archive…' }), '"Delete flag"'],
      [finding.getByRole('button', { name: 'Snooze…' }), '"Update flag"'],
      [page.getByRole('button', { name: 'Set…' }), '"Project settings write"'],
    ] as const) {
      expect(await button.getAttribute('aria-disabled')).toBe('true');
      await button.focus();
      await page.getByRole('tooltip').filter({ hasText: permissionName }).waitFor();
    }
    await page.getByRole('heading', { level: 1 }).click();
    await page.getByRole('tooltip').waitFor({ state: 'detached' });
    await expectAccessible(page);
  },
);

testAsAdmin('a project without flags is healthy and has no findings', async ({ page, api }) => {
  await visit(page, `/projects/${await createProject(api)}/health`);

  await score(page, 100, 100).waitFor();
  await page.getByText('No findings.').waitFor();
  await page.getByText('0 stale or potentially stale, no limit').waitFor();
  await expectAccessible(page);
});
