import { expect } from 'vitest';
import { accessible } from './support/accessible.ts';
import { type Api, createFlag } from './support/api.ts';
import { flagWithStrategy } from './support/flag.ts';
import { waitForFocus } from './support/focus.ts';
import { visit } from './support/open-page.ts';
import { testAsAdmin } from './support/test.ts';

type Event = { type: string; comment?: string };

const newestEvent = async (api: Api, flag: string): Promise<Event | undefined> =>
  (await api.send<{ events: Event[] }>('GET', `/api/admin/search/events?feature=IS:${flag}&limit=1`))
    .events[0];

const SWITCH = { name: 'Enabled in production' };

testAsAdmin(
  'a toggle in production, a save and an archive can have a reason, which the events show',
  async ({ page, api }) => {
    const { address, name } = await flagWithStrategy(api);
    const reason = page.getByRole('textbox', { name: 'Reason' });
    await visit(page, address);
    await page.getByRole('switch', SWITCH).first().click();
    await reason.fill('Launch of the ünion 100 %');
    await accessible(page);
    await page.getByRole('button', { name: 'Enable', exact: true }).click();
    await expect
      .poll(() => newestEvent(api, name))
      .toMatchObject({ type: 'feature-environment-enabled', comment: 'Launch of the ünion 100 %' });

    await page.getByRole('button', { name: 'Gradual rollout' }).click();
    await page.getByLabel('Rollout in percent').fill('75');
    await reason.fill('See INC-1234');
    await accessible(page);
    await reason.press('Enter');
    await page.getByText('Saved to production.').waitFor();
    await expect
      .poll(() => newestEvent(api, name))
      .toMatchObject({ type: 'feature-strategy-update', comment: 'See INC-1234' });

    await visit(page, `${address}/settings`);
    await page.getByRole('textbox', { name: 'Description' }).fill('Without a reason');
    await page.keyboard.press('Control+s');
    await page.getByText('Settings saved.').waitFor();
    expect(await newestEvent(api, name)).not.toHaveProperty('comment');

    await page.getByRole('button', { name: 'Archive this flag…' }).click();
    await page.getByRole('dialog').getByRole('textbox', { name: 'Reason' }).fill('No longer used');
    await page.getByRole('button', { name: 'Archive flag', exact: true }).click();
    await page.getByText(`Archived ${name}.`).waitFor();
    await visit(page, `${address}/events`);
    for (const text of ['No longer used', 'See INC-1234']) await page.getByText(text).first().waitFor();
    await accessible(page);
  },
);

testAsAdmin(
  'a project can require a reason, for which confirmations and editors ask',
  async ({ page, api }) => {
    const { address, project, name } = await flagWithStrategy(api);
    await createFlag(api, project);
    await visit(page, `/projects/${project}/settings/naming`);
    await page.getByRole('checkbox', { name: 'Require a reason for every change to a flag' }).check();
    await page.getByText('The console asks for a reason.').waitFor();
    await accessible(page);
    await page.keyboard.press('Control+s');
    await page.getByText('Rules and limits saved.').waitFor();

    const reason = page.getByRole('textbox', { name: 'Reason' });
    await visit(page, address);
    await page.getByRole('switch', SWITCH).first().click();
    const enableButton = page.getByRole('button', { name: 'Enable', exact: true });
    // Waits, because until the project's settings are loaded, only the server knows that a reason is required.
    await expect.poll(() => enableButton.isDisabled()).toBe(true);
    await reason.fill('Launch');
    await enableButton.click();
    await expect.poll(() => newestEvent(api, name)).toMatchObject({ comment: 'Launch' });

    await page.getByRole('button', { name: 'Gradual rollout' }).click();
    await page.getByRole('textbox', { name: 'Title' }).fill('Wider');
    await page.keyboard.press('Control+s');
    await waitForFocus(reason);
    await reason.fill('More users');
    await reason.press('Enter');
    await page.getByText('Saved to production.').waitFor();
    expect(await newestEvent(api, name)).toMatchObject({ comment: 'More users' });
  },
);

testAsAdmin(
  'a change without a form asks for the reason that the project requires, and Cancel leaves everything as it was',
  async ({ page, api, tolerated }) => {
    // The browser logs the rejected request as an error.
    tolerated.push(/status of 400/);
    const { address, project, base, name } = await flagWithStrategy(api);
    await api.send('PUT', `/api/admin/projects/${project}/settings`, { requireComment: true });
    await visit(page, address);
    const dialog = page.getByRole('dialog', { name: 'Why are you making this change?' });
    const development = page.getByRole('switch', { name: 'Enabled in development' }).first();
    const isEnabled = async () =>
      (await api.send<{ environments: { name: string; enabled: boolean }[] }>('GET', base)).environments.find(
        environment => environment.name === 'development',
      )?.enabled;

    await development.click();
    await dialog.getByText(`Project "${project}" requires a reason for every change to its flags.`).waitFor();
    await accessible(page);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText(`${name} was not enabled in development.`).waitFor();
    await expect.poll(() => development.isChecked()).toBe(false);
    expect(await isEnabled()).toBe(false);

    await development.click();
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('Try it out');
    await dialog.getByRole('button', { name: 'Save with this reason' }).click();
    await expect.poll(isEnabled).toBe(true);
    expect(await newestEvent(api, name)).toMatchObject({
      type: 'feature-environment-enabled',
      comment: 'Try it out',
    });
  },
);

testAsAdmin('a bulk action and a segment can have a reason', async ({ page, api }) => {
  const { project, name } = await flagWithStrategy(api);
  const segment = await api.send<{ id: number }>('POST', '/api/admin/segments', {
    name: `reasoned-${name}`,
    constraints: [{ contextName: 'userId', operator: 'IN', values: ['1'] }],
  });
  await visit(page, `/projects/${project}`);
  await page.getByRole('checkbox', { name: `Select ${name}` }).check();
  await page.getByRole('button', { name: 'Mark as stale…', exact: true }).click();
  await page.getByRole('dialog').getByRole('textbox', { name: 'Reason' }).fill('Replaced');
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Mark .* as stale$/ })
    .click();
  await expect
    .poll(() => newestEvent(api, name))
    .toMatchObject({ type: 'feature-stale-on', comment: 'Replaced' });

  await visit(page, `/admin/segments/${segment.id}`);
  await page.getByRole('textbox', { name: 'Description' }).fill('Changed');
  await page.getByRole('textbox', { name: 'Reason' }).fill('Wrong before');
  await page.getByRole('textbox', { name: 'Reason' }).press('Enter');
  const readEvents = () =>
    api.send<{ events: Event[] }>(
      'GET',
      `/api/admin/search/events?type=IS:segment-updated&query=reasoned-${name}`,
    );
  await expect.poll(async () => (await readEvents()).events[0]?.comment).toBe('Wrong before');
});
