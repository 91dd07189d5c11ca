import { expect } from 'vitest';
import { expectAccessible } from './support/accessible.ts';
import { testWithOwnServer } from './support/test.ts';

testWithOwnServer()(
  'an admin enables maintenance mode, the console shows it, and a change is rejected with the reason',
  async ({ page, api, logInAs, tolerated }) => {
    // The browser logs the rejected change as an error.
    tolerated.push(/status of 503|responded with 503/);
    const banner = page.getByRole('status').getByText('Halyard is in maintenance mode.');
    await logInAs({ rootRole: 'Admin' });
    await page.goto('/admin/instance');
    await page.getByRole('button', { name: 'Enable maintenance mode…' }).click();
    await page.getByRole('button', { name: 'Enable maintenance mode', exact: true }).click();
    await banner.waitFor();
    expect(await api.send('GET', '/api/admin/maintenance')).toEqual({ enabled: true });
    await expectAccessible(page);

    await page.goto('/admin/tags?edit=new');
    const panel = page.getByRole('dialog', { name: 'New tag type' });
    await panel.getByLabel('Name').fill('squad');
    await panel.getByRole('button', { name: 'Create tag type' }).click();
    await panel.getByText('Reads and SDKs still work.').waitFor();

    await api.send('PUT', '/api/admin/maintenance', { enabled: false });
    await banner.waitFor({ state: 'detached' });
    await panel.getByRole('button', { name: 'Create tag type' }).click();
    await expect.poll(() => api.send('GET', '/api/admin/tag-types/squad').catch(() => null)).toBeTruthy();
  },
);
