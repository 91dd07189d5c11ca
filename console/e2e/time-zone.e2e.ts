import { expect } from 'vitest';
import { expectAccessible } from './support/accessible.ts';
import { createFlagWithStrategy } from './support/flag.ts';
import { test } from './support/test.ts';

type Strategy = { constraints: { value?: string }[] };

test("a date is entered and shown in the user's time zone, and stored in UTC", async ({
  newPage,
  api,
  logInAs,
}) => {
  const constraint = {
    contextName: 'currentTime',
    operator: 'DATE_AFTER',
    value: '2026-11-15T14:30:00.000Z',
    values: [],
  };
  const { pagePath, strategies, id } = await createFlagWithStrategy(api, { constraints: [constraint] });
  const page = await newPage({ timezoneId: 'America/New_York' });
  await logInAs({ rootRole: 'Admin' }, page);

  await page.goto(`${pagePath}?environment=production&edit=${id}`);
  const input = page.getByLabel('Value of currentTime');
  await expect.poll(() => input.inputValue()).toBe('2026-11-15T09:30');
  await page.getByText('Time in America/New_York. 15 Nov 2026, 14:30:00 UTC').waitFor();
  await page.getByText('15 Nov 2026, 09:30:00 GMT-5').first().waitFor();
  await expectAccessible(page);
  await input.fill('2026-12-01T08:00');
  await page.getByRole('button', { name: /^Save to production/ }).click();

  await page.getByText('Saved to production.').waitFor();
  expect(await api.send<Strategy[]>('GET', strategies)).toMatchObject([
    { constraints: [{ value: '2026-12-01T13:00:00.000Z' }] },
  ]);
});

test("the event log shows times in the user's time zone, and names the time zone", async ({
  newPage,
  api,
  logInAs,
}) => {
  const { project } = await createFlagWithStrategy(api);
  // The offset of this zone includes half an hour, which a conversion in whole hours would miss.
  const page = await newPage({ timezoneId: 'Asia/Kolkata' });
  await logInAs({ rootRole: 'Admin' }, page);

  await page.goto(`/projects/${project}/events`);
  const row = page.getByRole('option').first();
  await row.waitFor();
  await page.getByText(/times in Asia\/(Kolkata|Calcutta)/).waitFor();
  const time = row.locator('time');
  const date = new Date((await time.getAttribute('datetime')) ?? '');
  const localTime = date.toLocaleTimeString('en-GB', { timeZone: 'Asia/Kolkata' });
  expect(await time.textContent()).toBe(localTime);
  await expectAccessible(page);
});
