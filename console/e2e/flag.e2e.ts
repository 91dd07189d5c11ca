import { expect } from 'vitest';
import { accessible } from './support/accessible.ts';
import { type Api, createFlag, createProject, unique } from './support/api.ts';
import { test } from './support/test.ts';

type Strategy = {
  id: string;
  title?: string;
  parameters: Record<string, string>;
  constraints: { values: string[] }[];
};

async function flagWithStrategy(api: Api, body: object = {}) {
  const project = await createProject(api);
  const name = await createFlag(api, project);
  const base = `/api/admin/projects/${project}/features/${name}`;
  const strategies = `${base}/environments/production/strategies`;
  const { id } = await api.send<Strategy>('POST', strategies, {
    name: 'flexibleRollout',
    title: 'Gradual rollout',
    parameters: { rollout: '50', stickiness: 'default', groupId: name },
    ...body,
  });
  return { project, name, base, strategies, id, address: `/projects/${project}/features/${name}` };
}

test('enabling in production asks first and names the audience', async ({ page, api, logInAs }) => {
  const { address, base } = await flagWithStrategy(api);
  await logInAs({ rootRole: 'Admin' });
  await page.goto(address);
  const toggle = page.getByLabel('Enabled in production', { exact: true });
  await toggle.click();
  await page.getByText('Enable in production for 50 % of users?').waitFor();
  expect(await api.send<{ enabled: boolean }>('GET', `${base}/environments/production`)).toMatchObject({
    enabled: false,
  });
  await accessible(page);
  await page.getByRole('button', { name: 'Enable', exact: true }).click();
  await expect.poll(() => toggle.isChecked()).toBe(true);
  await expect
    .poll(() => api.send<{ enabled: boolean }>('GET', `${base}/environments/production`))
    .toMatchObject({ enabled: true });
  await accessible(page);
});

test('a strategy is added, edited, moved and deleted', async ({ page, api, logInAs }) => {
  const { address, strategies } = await flagWithStrategy(api);
  await logInAs({ rootRole: 'Admin' });
  await page.goto(address);
  await page.getByRole('button', { name: 'Add strategy' }).click();
  await page.getByRole('textbox', { name: 'Title' }).last().fill('Beta customers');
  await page.getByRole('button', { name: /^Save to production/ }).click();
  await page.getByText('Beta customers').waitFor();
  await page.getByRole('button', { name: 'Gradual rollout' }).click();
  const percent = page.getByLabel('Rollout in percent');
  await percent.fill('75');
  await percent.press('Tab');
  await page.getByText('1 change', { exact: true }).waitFor();
  await accessible(page);
  await page.keyboard.press('Control+s');
  await page.getByText('75 %').first().waitFor();
  await page.getByRole('button', { name: 'Actions of strategy 2' }).click();
  await page.getByRole('menuitem', { name: /Move up/ }).click();
  const titles = async () => (await api.send<Strategy[]>('GET', strategies)).map(one => one.title);
  await expect.poll(titles).toEqual(['Beta customers', 'Gradual rollout']);
  await page.getByRole('listitem').filter({ hasText: 'Beta customers' }).filter({ hasText: /^1/ }).waitFor();
  await page.getByRole('button', { name: 'Actions of strategy 1' }).click();
  await page.getByRole('menuitem', { name: 'Delete…' }).click();
  await page.getByRole('button', { name: 'Delete strategy' }).click();
  await expect.poll(titles).toEqual(['Gradual rollout']);
  expect((await api.send<Strategy[]>('GET', strategies))[0]?.parameters.rollout).toBe('75');
  await accessible(page);
});

test('pasted values become values of a constraint, and the limit of the server is shown', async ({
  page,
  api,
  logInAs,
}) => {
  const { address, strategies, id } = await flagWithStrategy(api, {
    constraints: [{ contextName: 'userId', operator: 'IN', values: ['first'] }],
  });
  await logInAs({ rootRole: 'Admin' });
  await page.goto(`${address}?edit=${id}`);
  const input = page.getByLabel('Values of userId');
  await input.waitFor();
  const paste = (from: number, to: number) =>
    input.evaluate(
      (element, [first, last]) => {
        const data = new DataTransfer();
        const values = Array.from({ length: last - first }, (_, n) => `user-${first + n}`);
        data.setData('text', values.join('\n'));
        const paste = new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true });
        element.dispatchEvent(paste);
      },
      [from, to] as const,
    );
  await paste(0, 200);
  await page.getByText('181 more').waitFor();
  await accessible(page);
  await page.getByRole('button', { name: /^Save to production/ }).click();
  const saved = async () => (await api.send<Strategy[]>('GET', strategies))[0]?.constraints[0]?.values.length;
  await expect.poll(saved).toBe(201);

  await page.goto(`${address}?edit=${id}`);
  await input.waitFor();
  await paste(200, 500);
  await page.getByText('481 more').waitFor();
  await page.getByRole('button', { name: /^Save to production/ }).click();
  await page.getByText('A constraint can have at most 250 values').waitFor();
  expect(await saved()).toBe(201);
  await accessible(page);
});

test('two people edit one strategy: the second one sees both changes and chooses', async ({
  page,
  api,
  logInAs,
}) => {
  const { address, strategies, id } = await flagWithStrategy(api);
  await logInAs({ rootRole: 'Admin' });
  await page.goto(`${address}?edit=${id}`);
  await page.getByRole('textbox', { name: 'Title' }).fill('Mine');
  await api.send('PUT', `${strategies}/${id}`, {
    name: 'flexibleRollout',
    title: 'Gradual rollout',
    parameters: { rollout: '10', stickiness: 'default', groupId: 'g' },
  });
  await page.getByRole('button', { name: /^Save to production/ }).click();
  await page.getByText('Somebody changed this strategy while you edited it').waitFor();
  await page.getByRole('region', { name: 'Their changes' }).getByText('10 %').waitFor();
  await page.getByRole('region', { name: 'Your changes' }).getByText('Mine').waitFor();
  await accessible(page);
  const title = async () => (await api.send<Strategy[]>('GET', strategies))[0]?.title;
  expect(await title()).toBe('Gradual rollout');
  await page.getByRole('button', { name: 'Keep mine' }).click();
  await page.getByRole('button', { name: /^Save to production/ }).click();
  await expect.poll(title).toBe('Mine');
});

test('variants share 100 %, and a fixed share leaves the others less', async ({ page, api, logInAs }) => {
  const { address, id } = await flagWithStrategy(api);
  await logInAs({ rootRole: 'Admin' });
  await page.goto(`${address}?edit=${id}`);
  const add = page.getByRole('button', { name: 'Variant', exact: true });
  await add.click();
  await page.getByLabel('Name of variant 1').fill('one-tap');
  await add.click();
  await page.getByLabel('Name of variant 2').fill('two-step');
  const share = (n: number) => page.getByLabel(`Share of variant ${n} in percent`);
  await expect.poll(() => share(2).inputValue()).toBe('50 %');
  await share(1).fill('20');
  await share(1).press('Tab');
  await expect.poll(() => share(2).inputValue()).toBe('80 %');
  await page.getByLabel('Name of variant 2').fill('one-tap');
  await page.getByText('Two variants have the same name.').waitFor();
  expect(await page.getByRole('button', { name: /^Save to production/ }).isDisabled()).toBe(true);
  await accessible(page);
});

test('an environment is copied to another one', async ({ page, api, logInAs }) => {
  const { address, base } = await flagWithStrategy(api);
  await logInAs({ rootRole: 'Admin' });
  await page.goto(`${address}?environment=development`);
  await page.getByRole('button', { name: 'Compare…' }).click();
  await page.getByRole('button', { name: 'Copy production to development' }).waitFor();
  await accessible(page);
  await page.getByRole('button', { name: 'Copy production to development' }).click();
  await expect
    .poll(
      async () => (await api.send<Strategy[]>('GET', `${base}/environments/development/strategies`)).length,
    )
    .toBe(1);
});

test('a flag that others depend on cannot be archived, another one can', async ({ page, api, logInAs }) => {
  const { project, name, address } = await flagWithStrategy(api);
  const child = await createFlag(api, project, { name: `child-${unique()}` });
  await api.send('POST', `/api/admin/projects/${project}/features/${child}/dependencies`, { feature: name });
  await logInAs({ rootRole: 'Admin' });
  await page.goto(address);
  await page.getByRole('button', { name: 'Archive…' }).click();
  await page.getByText(`Flags depend on ${name}: ${child}.`).waitFor();
  expect(await page.getByRole('button', { name: 'Archive flag' }).isDisabled()).toBe(true);
  await accessible(page);
  await page.goto(`/projects/${project}/features/${child}`);
  await page.getByRole('button', { name: 'Archive…' }).click();
  await page.getByRole('button', { name: 'Archive flag' }).click();
  await page.getByRole('button', { name: 'Revive' }).waitFor();
  await accessible(page);
});
