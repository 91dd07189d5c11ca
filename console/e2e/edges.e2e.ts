import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { accessible } from './support/accessible.ts';
import { unique } from './support/api.ts';
import { visit } from './support/open-page.ts';
import { testAsAdmin, testAsViewer } from './support/test.ts';

const EDGE = fileURLToPath(new URL('../../edge/src/main.ts', import.meta.url));

testAsAdmin('enrols an edge, and shows it once it has started', async ({ page, server }) => {
  const name = `Frankfurt ${unique()}`;
  await visit(page, '/admin/edges');
  // Without edges, the empty list has a second one.
  await page
    .getByRole('button', { name: /^New edge/ })
    .first()
    .click();
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Environment').selectOption('production');
  await accessible(page);
  await page.getByRole('button', { name: 'Create enrolment' }).click();
  const dialog = page.getByRole('dialog', { name: `Enrolment of ${name}` });
  const enrolment = (await dialog.locator('code').textContent()) ?? '';
  await dialog.getByRole('button', { name: 'I have stored it' }).click();

  const child = spawn(process.execPath, [EDGE], {
    env: {
      ...process.env,
      HALYARD_EDGE_ENROLMENT: enrolment,
      HALYARD_EDGE_UPSTREAM: server.url,
      PORT: '0',
    },
    stdio: 'ignore',
  });
  onTestFinished(() => void child.kill());

  const row = page.getByRole('row').filter({ hasText: name });
  await expect.poll(() => row.getByText('Connected').count(), { timeout: 120_000 }).toBe(1);
  await row.getByRole('link', { name }).click();
  const detail = page.getByRole('complementary', { name });
  await detail.getByText('All projects').waitFor();
  await accessible(page);
  await detail.getByRole('link', { name: 'its token' }).click();
  await page.getByRole('complementary', { name }).waitFor();
});

testAsViewer('a Viewer does not find the page in the navigation', async ({ page }) => {
  await visit(page, '/admin/explain-access');
  const navigation = page.getByRole('navigation', { name: 'Administration' });
  await navigation.getByRole('link', { name: 'Environments' }).waitFor();

  expect(await navigation.getByRole('link', { name: 'Edges' }).count()).toBe(0);
});
