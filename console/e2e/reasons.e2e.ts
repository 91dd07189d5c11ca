import { expect } from 'vitest';
import { expectAccessible } from './support/accessible.ts';
import { type Api, createFlag } from './support/api.ts';
import { createFlagWithStrategy } from './support/flag.ts';
import { waitForFocus } from './support/focus.ts';
import { visit } from './support/open-page.ts';
import { testAsAdmin } from './support/test.ts';

type Event = { type: string; comment?: string };

const readNewestEvent = async (api: Api, flag: string): Promise<Event | undefined> =>
  (await api.send<{ events: Event[] }>('GET', `/api/admin/search/events?feature=IS:${flag}&limit=1`))
    .events[0];

const PRODUCTION_TOGGLE = { name: 'Enabled in production' };

testAsAdmin(
  'toggling in production, saving and archiving can have a reason, which the events show',
  async ({ page, api }) => {
    const { pagePath, name } = await createFlagWithStrategy(api);
    const reason = page.getByRole('textbox', { name: 'Reason' });
    await visit(page, pagePath);
    await page.getByRole('switch', PRODUCTION_TOGGLE).first().click();
    await reason.fill('Launch of the ünion 100 %');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Enable', exact: true }).click();
    await expect
      .poll(() => readNewestEvent(api, name))
      .toMatchObject({ type: 'feature-environment-enabled', comment: 'Launch of the ünion 100 %' });

    await page.getByRole('button', { name: 'Gradual rollout' }).click();
    await page.getByLabel('Rollout in percent').fill('75');
    await reason.fill('See INC-1234');
    await expectAccessible(page);
    await reason.press('Enter');
    await page.getByText('Saved to production.').waitFor();
    await expect
      .poll(() => readNewestEvent(api, name))
      .toMatchObject({ type: 'feature-strategy-update', comment: 'See INC-1234' });

    await visit(page, `${pagePath}/settings`);
    await page.getByRole('textbox', { name: 'Description' }).fill('Without a reason');
    await page.keyboard.press('Control+s');
    await page.getByText('Settings saved.').waitFor();
    expect(await readNewestEvent(api, name)).not.toHaveProperty('comment');

    await page.getByRole('button', { name: 'Archive this flag…' }).click();
    await page.getByRole('dialog').getByRole('textbox', { name: 'Reason' }).fill('No longer used');
    await page.getByRole('button', { name: 'Archive flag', exact: true }).click();
    await page.getByText(`Archived ${name}.`).waitFor();
    await visit(page, `${pagePath}/events`);
    for (const text of ['No longer used', 'See INC-1234']) await page.getByText(text).first().waitFor();
    await expectAccessible(page);
  },
);

testAsAdmin('if a project requires a reason, confirmations and editors ask for it', async ({ page, api }) => {
  const { pagePath, project, name } = await createFlagWithStrategy(api);
  await createFlag(api, project);
  await visit(page, `/projects/${project}/settings/naming`);
  await page.getByRole('checkbox', { name: 'Require a reason for every change to a flag' }).check();
  await page.getByText('The console asks for a reason.').waitFor();
  await expectAccessible(page);
  await page.keyboard.press('Control+s');
  await page.getByText('Rules and limits saved.').waitFor();

  const reason = page.getByRole('textbox', { name: 'Reason' });
  await visit(page, pagePath);
  await page.getByRole('switch', PRODUCTION_TOGGLE).first().click();
  const enableButton = page.getByRole('button', { name: 'Enable', exact: true });
  // Waits, because until the project's settings are loaded, only the server knows that a reason is required.
  await expect.poll(() => enableButton.isDisabled()).toBe(true);
  await reason.fill('Launch');
  await enableButton.click();
  await expect.poll(() => readNewestEvent(api, name)).toMatchObject({ comment: 'Launch' });

  await page.getByRole('button', { name: 'Gradual rollout' }).click();
  await page.getByRole('textbox', { name: 'Title' }).fill('Wider');
  await page.keyboard.press('Control+s');
  await waitForFocus(reason);
  await reason.fill('More users');
  await reason.press('Enter');
  await page.getByText('Saved to production.').waitFor();
  expect(await readNewestEvent(api, name)).toMatchObject({ comment: 'More users' });
});

testAsAdmin(
  'a change without a form asks for the reason that the project requires, and Cancel changes nothing',
  async ({ page, api, tolerated }) => {
    // The browser logs the rejected request as an error.
    tolerated.push(/status of 400/);
    const { pagePath, project, base, name } = await createFlagWithStrategy(api);
    await api.send('PUT', `/api/admin/projects/${project}/settings`, { requireComment: true });
    await visit(page, pagePath);
    const dialog = page.getByRole('dialog', { name: 'Why are you making this change?' });
    const development = page.getByRole('switch', { name: 'Enabled in development' }).first();
    const isEnabled = async () =>
      (await api.send<{ environments: { name: string; enabled: boolean }[] }>('GET', base)).environments.find(
        environment => environment.name === 'development',
      )?.enabled;

    await development.click();
    await dialog.getByText(`Project "${project}" requires a reason for every change to its flags.`).waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await expect.poll(() => development.isChecked()).toBe(false);
    expect(await isEnabled()).toBe(false);
    expect(await page.getByText(/was not enabled|Halyard-Comment/).count()).toBe(0);

    await development.click();
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('Try it out');
    await dialog.getByRole('button', { name: 'Save with this reason' }).click();
    await expect.poll(isEnabled).toBe(true);
    expect(await readNewestEvent(api, name)).toMatchObject({
      type: 'feature-environment-enabled',
      comment: 'Try it out',
    });
  },
);

testAsAdmin(
  'the panel of a new flag shows no error after Cancel in the dialog for the required reason',
  async ({ page, api, tolerated }) => {
    // The browser logs the rejected request as an error.
    tolerated.push(/status of 400/);
    const { project, name } = await createFlagWithStrategy(api);
    await api.send('PUT', `/api/admin/projects/${project}/settings`, { requireComment: true });
    await visit(page, `/projects/${project}?edit=new`);
    const panel = page.getByRole('dialog', { name: 'New flag' });
    await panel.getByRole('textbox', { name: 'Name', exact: true }).fill(`${name}-2`);
    const createButton = panel.getByRole('button', { name: 'Create flag' });
    await createButton.click();
    const dialog = page.getByRole('dialog', { name: 'Why are you making this change?' });
    const saveButton = dialog.getByRole('button', { name: 'Save with this reason' });

    await expect.poll(() => dialog.getByRole('status').allTextContents()).toEqual(['Enter a reason.']);
    expect(await saveButton.isDisabled()).toBe(true);
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await expect.poll(() => createButton.isEnabled()).toBe(true);
    expect(await panel.getByRole('alert').count()).toBe(0);
    expect(await panel.getByText('Enter a reason.').count()).toBe(0);

    await createButton.click();
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('Second step');
    await saveButton.click();
    await page.waitForURL(`**/projects/${project}/features/${name}-2**`);
  },
);

testAsAdmin('a bulk action and a segment can have a reason', async ({ page, api }) => {
  const { project, name } = await createFlagWithStrategy(api);
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
    .poll(() => readNewestEvent(api, name))
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
