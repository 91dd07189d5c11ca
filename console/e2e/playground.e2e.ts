import { expect } from 'vitest';
import { expectAccessible } from './support/accessible.ts';
import { type Api, createFlag, createProject } from './support/api.ts';
import { visit } from './support/open-page.ts';
import { testAsAdmin, testAsViewer } from './support/test.ts';

/** Creates a flag for Norway that is enabled in development. */
async function createNorwegianFlag(api: Api, project: string): Promise<string> {
  const name = await createFlag(api, project);
  const environmentPath = `/api/admin/projects/${project}/features/${name}/environments/development`;
  await api.send('POST', `${environmentPath}/strategies`, {
    name: 'flexibleRollout',
    parameters: { rollout: '100', stickiness: 'userId', groupId: name },
    constraints: [{ contextName: 'country', operator: 'IN', values: ['NO'] }],
  });
  await api.send('POST', `${environmentPath}/on`);
  return name;
}

testAsAdmin('evaluates flags for a context and explains the results', async ({ page, api }) => {
  const project = await createProject(api);
  const name = await createNorwegianFlag(api, project);
  const otherFlag = await createFlag(api, project);
  await visit(page, '/');

  await page.getByRole('link', { name: 'Playground' }).click();
  await page.getByRole('heading', { name: 'Playground', level: 1 }).waitFor();
  await expectAccessible(page);
  await page.getByLabel('Project').selectOption(project);
  await page.getByLabel('development').check();
  await page.getByLabel('User ID').fill('7');
  await page.getByRole('button', { name: 'Add a property' }).click();
  await page.getByLabel('Name of property 1').fill('country');
  await page.getByLabel('Value of property 1').fill('DE');
  await page.getByRole('button', { name: 'Evaluate' }).click();

  await page.getByText('0 of 2 flags enabled').waitFor();
  await page.getByText(name, { exact: true }).click();
  await page
    .getByText(/constraint 1 on "country" requires one of "NO"\. The context has "DE"\./)
    .first()
    .waitFor();
  await expectAccessible(page);

  await page.getByLabel('Value of property 1').fill('NO');
  await page.getByRole('button', { name: 'Evaluate' }).click();
  await page.getByText('1 of 2 flags enabled').waitFor();
  await page.getByLabel('Filter flags by name').fill(name);
  await page
    .locator('p', { hasText: /matches: bucket \d+ of userId "7" is within the rollout of 100 %/ })
    .waitFor();
  expect(await page.getByText(otherFlag, { exact: true }).count()).toBe(0);
  expect(new URL(page.url()).searchParams.get('property')).toBe('country:NO');
  await expectAccessible(page);

  await page.reload();
  await page.getByText('1 of 2 flags enabled').waitFor();
  expect(await page.getByLabel('Value of property 1').inputValue()).toBe('NO');
});

testAsAdmin(
  'compares environments and pasted contexts side by side, with the reason for each result',
  async ({ page, api }) => {
    const project = await createProject(api);
    const name = await createNorwegianFlag(api, project);
    await visit(page, `/playground?project=${project}&userId=7&environment=development`);
    await page.getByText('Several, as CSV').click();
    expect(await page.getByLabel('Table').inputValue()).toBe('userId\n7');

    await page.getByLabel('Table').fill('userId,userId\n7,NO');
    await page.getByText('The first line has the column "userId" twice.').waitFor();
    expect(await page.getByRole('button', { name: 'Evaluate' }).isDisabled()).toBe(true);
    await page.getByLabel('Table').fill('userId\tcountry\n7\tNO\n8\tDE\n9\tNO');
    await page.getByLabel('production').check();
    await page.getByRole('button', { name: 'Evaluate' }).click();

    await page.getByText('1 of 1 flag enabled for at least one of 3 contexts').waitFor();
    const summary = page.locator('summary', { hasText: name });
    expect(await summary.textContent()).toBe(`${name}development: 2 of 3production: 0 of 3`);
    // The rows are visible without a click, because the only flag in the results is expanded.
    const row = page.getByRole('row', { name: /userId 8, country DE/ });
    await row.getByText('constraint 1 on "country" requires one of "NO"').waitFor();
    expect(await row.getByText('Disabled', { exact: true }).count()).toBe(2);
    await expectAccessible(page);

    const sharedUrl = page.url();
    await visit(page, '/');
    await page.goto(sharedUrl);
    await page.getByText('1 of 1 flag enabled for at least one of 3 contexts').waitFor();
    await page.getByLabel('Flag', { exact: true }).fill('no-such-flag');
    await page.getByRole('button', { name: 'Evaluate' }).click();
    await page.getByText(/no-such-flag.* does not exist/).waitFor();
  },
);

testAsViewer('shows why the server rejects a context', async ({ page }) => {
  await visit(page, '/playground?environment=development&currentTime=yesterday');

  await page.getByText('"yesterday" is not a time such as 2026-11-15T09:30:00Z').waitFor();
  await expect.poll(() => page.getByLabel('Time').getAttribute('aria-invalid')).toBe('true');
  await expectAccessible(page);
  await page.getByLabel('Time').fill('2026-11-15T09:30');
  await page.getByRole('button', { name: 'Evaluate' }).click();

  await page.waitForURL(url => url.searchParams.get('currentTime') === '2026-11-15T09:30:00.000Z');
  await page.getByText(/flags? enabled|No flags/).waitFor();
  expect(await page.getByLabel('Time').inputValue()).toBe('2026-11-15T09:30');
});
