import { expect } from 'vitest';
import { expectAccessible } from './support/accessible.ts';
import { createPerson } from './support/api.ts';
import { test, testWithOwnServer } from './support/test.ts';

test('a login opens the requested page', async ({ page, api }) => {
  const { username, password } = await createPerson(api, { rootRole: 'Editor' });
  await page.goto('/flags?query=checkout');
  await page.getByRole('heading', { name: 'Log in to Halyard' }).waitFor();
  await expectAccessible(page);

  await page.getByLabel('Username or email address').fill(username);
  await page.getByLabel(/^Password/).fill(password);
  await page.getByRole('button', { name: 'Log in' }).click();

  await page.waitForURL('/flags?query=checkout');
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
  await expectAccessible(page);
});

const testOnOwnServer = testWithOwnServer();

testOnOwnServer(
  'a wrong password is rejected, and too many wrong passwords lock the login',
  async ({ page, api }) => {
    const { username, password } = await createPerson(api);
    await page.goto('/login');
    await page.getByLabel('Username or email address').fill(username);
    const tryPassword = async (text: string) => {
      await page.getByLabel(/^Password/).fill(text);
      const response = page.waitForResponse(candidate => candidate.url().endsWith('/auth/simple/login'));
      await page.getByRole('button', { name: 'Log in' }).click();
      return await response;
    };

    const firstResponse = await tryPassword('wrong');
    expect(firstResponse.status()).toBe(401);
    await page.getByRole('alert').waitFor();
    await expectAccessible(page);
    let status = 401;
    for (let i = 0; i < 20 && status === 401; i++) status = (await tryPassword(`wrong ${i}`)).status();

    expect(status).toBe(429);
    await expect.poll(() => page.getByRole('alert').textContent()).toMatch(/\d+ (second|minute)/);
    expect((await tryPassword(password)).status()).toBe(429);
    await expectAccessible(page);
  },
);
