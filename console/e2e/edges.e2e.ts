import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { expectAccessible } from './support/accessible.ts';
import { unique } from './support/api.ts';
import { visit } from './support/open-page.ts';
import { testAsAdmin, testAsViewer } from './support/test.ts';

const EDGE = fileURLToPath(new URL('../../edge/src/main.ts', import.meta.url));

/** Runs the command from the page on a free port. It runs the edge from source, because `halyard` is not installed here. */
async function runCommand(command: string): Promise<ChildProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'halyard-edge-'));
  const child = spawn(
    'sh',
    [
      '-c',
      command.replace('PORT=4243', 'PORT=0').replace('halyard edge', `exec "${process.execPath}" "${EDGE}"`),
    ],
    { cwd: folder, stdio: 'ignore' },
  );
  onTestFinished(async () => {
    child.kill();
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    await rm(folder, { recursive: true });
  });
  return child;
}

testAsAdmin(
  'enrols an edge with the command on the page, shows its connection, and revokes the enrolment',
  async ({ page, api }) => {
    const name = `Frankfurt ${unique()}`;
    await visit(page, '/admin/edges');
    await page
      .getByRole('button', { name: /^New edge/ })
      .first()
      .click();
    await page.getByLabel('Name').fill(name);
    await page.getByLabel('Environment').selectOption('production');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Create enrolment' }).click();
    const dialog = page.getByRole('dialog', { name: `Enrolment of ${name}` });
    const enrolment = (await dialog.locator('code').textContent()) ?? '';
    const line = dialog.getByRole('status');
    await line.getByText('Waiting for the edge…').waitFor();
    await dialog.getByRole('tab', { name: 'Kubernetes' }).click();
    expect(await dialog.getByRole('tabpanel').textContent()).toContain(enrolment);
    await dialog.getByRole('tab', { name: 'Shell' }).click();
    await expectAccessible(page);
    await runCommand((await dialog.getByRole('tabpanel').locator('pre').textContent()) ?? '');
    await line.getByText(`${name} is connected`).waitFor({ timeout: 120_000 });
    await dialog.getByRole('button', { name: 'I have stored it' }).click();

    const detail = page.getByRole('complementary', { name });
    await detail.getByText('All projects').waitFor();
    await detail.getByText('Current, revision').waitFor();
    await page.getByRole('row').filter({ hasText: name }).getByText('Connected').waitFor();
    await expectAccessible(page);
    await detail.getByRole('link', { name }).click();
    await page.getByRole('complementary', { name }).getByRole('link', { name: 'Open the edge' }).click();

    await detail.getByRole('button', { name: 'Revoke enrolment…' }).click();
    const confirmation = page.getByRole('dialog', { name: `Revoke the enrolment of ${name}?` });
    await confirmation.getByText('The edge rejects all SDKs').waitFor();
    await confirmation.getByRole('button', { name: 'Revoke enrolment' }).click();
    await page.getByText(`Revoked the enrolment of ${name}.`).waitFor();
    await expect.poll(() => page.getByRole('row').filter({ hasText: name }).count()).toBe(0);
    const { edges } = await api.send<{ edges: { tokenName: string }[] }>('GET', '/api/admin/edges');
    expect(edges.filter(({ tokenName }) => tokenName === name)).toEqual([]);
  },
);

testAsAdmin('lists an enrolment that no edge has used yet', async ({ page, api }) => {
  const name = `Osaka ${unique()}`;
  const { id } = await api.send<{ id: number }>('POST', '/api/admin/api-tokens', {
    tokenName: name,
    type: 'edge',
    environment: 'production',
    projects: ['default'],
  });
  await visit(page, `/admin/edges?edge=token:${id}`);

  const row = page.getByRole('row').filter({ hasText: name });
  await row.getByText('Not started').waitFor();
  await page.getByRole('complementary', { name }).getByText('No edge has reported').waitFor();
  await expectAccessible(page);
});

testAsViewer('the navigation does not show the edges page to a Viewer', async ({ page }) => {
  await visit(page, '/admin/explain-access');
  const navigation = page.getByRole('navigation', { name: 'Administration' });
  await navigation.getByRole('link', { name: 'Environments' }).waitFor();

  expect(await navigation.getByRole('link', { name: 'Edges' }).count()).toBe(0);
});
