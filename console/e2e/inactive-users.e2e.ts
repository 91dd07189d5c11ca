import pg from 'pg';
import { expect } from 'vitest';
import { expectAccessible } from './support/accessible.ts';
import { createPerson } from './support/api.ts';
import { testWithOwnServer } from './support/test.ts';

// The test needs its own server, because the page deletes every inactive user.
testWithOwnServer()(
  'shows and deletes the users who were inactive for 180 days',
  async ({ page, api, server, logInAs }) => {
    const [inactivePerson, activePerson] = [await createPerson(api), await createPerson(api)];
    const client = new pg.Client({ connectionString: server.databaseUrl });
    await client.connect();
    await client.query(`update users set created_at = now() - interval '181 days' where id = $1`, [
      inactivePerson.id,
    ]);
    await client.end();
    await logInAs({ rootRole: 'Admin' });
    await page.goto('/admin/users?filter=inactive');
    await page.getByRole('button', { name: 'Delete inactive users…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete inactive users?' });
    await dialog.getByText(inactivePerson.username).waitFor();
    expect(await dialog.getByText(activePerson.username).count()).toBe(0);
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Delete 1 user' }).click();
    await page.getByText('Deleted 1 user.').waitFor();
    const { users } = await api.send<{ users: { id: number }[] }>('GET', '/api/admin/user-admin');
    const ids = users.map(({ id }) => id);
    expect(ids).not.toContain(inactivePerson.id);
    expect(ids).toContain(activePerson.id);

    await page.getByRole('button', { name: 'Delete inactive users…' }).click();
    await dialog.getByText('Everybody has used Halyard in the last 180 days.').waitFor();
    expect(await dialog.getByRole('button', { name: 'Delete 0 users' }).isDisabled()).toBe(true);
  },
);
