import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { accessible } from './support/accessible.ts';
import { type Api, createFlag, createProject, unique } from './support/api.ts';
import { test, testWithOwnServer } from './support/test.ts';

type Received = { headers: IncomingHttpHeaders; body: { type: string; featureName: string | null } };

/** A receiver of webhooks on this machine. `status` is what it responds with. */
async function startReceiver(status = 200) {
  const received: Received[] = [];
  const receiver = {
    status,
    url: '',
    received,
    /** The flags of the events that it got, in their order. */
    flags: () => received.map(({ body }) => body.featureName),
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push({ headers: request.headers, body: JSON.parse(Buffer.concat(chunks).toString()) });
      response.writeHead(receiver.status, { 'content-type': 'application/json' });
      response.end('{"received":true}');
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return receiver;
}

const createWebhook = async (
  api: Api,
  project: string,
  url: string,
  fields: object = {},
): Promise<number> => {
  const { id } = await api.send<{ id: number }>('POST', '/api/admin/addons', {
    provider: 'webhook',
    description: `Webhook ${unique()}`,
    enabled: true,
    events: ['feature-created'],
    projects: [project],
    parameters: { url },
    ...fields,
  });
  return id;
};

const rows = (page: Page) =>
  page.getByRole('listbox', { name: 'Deliveries, newest first' }).getByRole('option');

test('creates an integration, shows its secret once, and sends a test', async ({ page, api, logInAs }) => {
  const receiver = await startReceiver();
  const name = `Payments ${unique()}`;
  await createProject(api, { name });
  await logInAs({ rootRole: 'Admin' });
  const description = `Change log ${unique()}`;
  await page.goto('/integrations');
  await page
    .getByRole('complementary', { name: 'New integration' })
    .getByText('Webhook', { exact: true })
    .click();
  await page.getByRole('button', { name: 'Create integration' }).waitFor();
  await accessible(page);

  await page.getByLabel('Description').fill(description);
  await page.getByLabel(/^Address/).fill('not an address');
  await page.getByRole('button', { name: 'Create integration' }).click();
  await expect.poll(() => page.getByLabel(/^Address/).getAttribute('aria-invalid')).toBe('true');
  await page.getByLabel(/^Address/).fill(receiver.url);
  await page
    .locator('input')
    .and(page.getByLabel('Projects', { exact: true }))
    .fill(name);
  await page.getByRole('option', { name }).click();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Create integration' }).click();
  const dialog = page.getByRole('dialog', { name: 'Signing secret' });
  await dialog.getByText(/^whsec_/).waitFor();
  await accessible(page);
  await dialog.getByRole('button', { name: 'I have stored it' }).click();

  await page.getByRole('heading', { name: description }).waitFor();
  expect(await page.getByText(/whsec_/).count()).toBe(0);
  await page.getByRole('button', { name: 'Send test' }).click();
  await expect.poll(() => receiver.received.map(({ body }) => body.type)).toEqual(['integration-tested']);
  await rows(page).filter({ hasText: '200' }).click();
  await page.getByRole('heading', { name: 'Delivered at attempt 1' }).waitFor();
  await accessible(page);
  await page.getByRole('link', { name: 'Settings' }).click();
  expect(await page.getByLabel(/^Address/).inputValue()).toBe('*****');
  await accessible(page);
  await page.goto('/integrations');
  await page.getByRole('link', { name: description }).waitFor();
  await accessible(page);
});

// The second attempt is the last one.
const quickly = testWithOwnServer({ HALYARD_DELIVERY_SCHEDULE: '0,1' });

quickly('shows why a delivery failed, and redelivers it', async ({ page, api, logInAs }) => {
  const receiver = await startReceiver(503);
  const project = await createProject(api);
  const id = await createWebhook(api, project, receiver.url);
  const flag = await createFlag(api, project);
  await logInAs({ rootRole: 'Admin' });

  await page.goto(`/integrations/${id}/deliveries?state=IS:failed`);
  await rows(page).filter({ hasText: flag }).click();
  await page.getByRole('heading', { name: 'Failed after 2 attempts' }).waitFor();
  expect(new URL(page.url()).searchParams.get('delivery')).toMatch(/^\d+$/);
  await page.getByRole('button', { name: 'Attempt 1: 503' }).click();
  expect(new URL(page.url()).searchParams.get('attempt')).toBe('1');
  await page.getByRole('radiogroup', { name: 'Part of the attempt' }).getByText('Request').click();
  await page.getByText('webhook-signature').waitFor();
  await accessible(page);

  receiver.status = 200;
  await page.keyboard.press('r');
  await page.getByRole('heading', { name: 'Delivered at attempt 3' }).waitFor();
  expect(receiver.flags()).toEqual([flag, flag, flag]);
  const ids = new Set(receiver.received.map(({ headers }) => headers['webhook-id']));
  expect(ids.size).toBe(1);
  await accessible(page);
});

quickly('skips a delivery that blocks an ordered integration', async ({ page, api, logInAs }) => {
  const receiver = await startReceiver(500);
  const project = await createProject(api);
  const id = await createWebhook(api, project, receiver.url, { ordered: true, whenExhausted: 'block' });
  const [first, second] = [await createFlag(api, project), await createFlag(api, project)];
  await logInAs({ rootRole: 'Admin' });

  await page.goto(`/integrations/${id}/deliveries`);
  await rows(page).filter({ hasText: second }).click();
  await page.getByRole('heading', { name: /^Waiting for event \d+, whose delivery failed/ }).waitFor();
  await rows(page).filter({ hasText: first }).click();
  await page.getByRole('heading', { name: 'Failed after 2 attempts. It blocks later deliveries' }).waitFor();
  await accessible(page);
  receiver.status = 200;
  await page.getByRole('button', { name: 'Skip…' }).click();
  await page.getByRole('dialog', { name: 'Skip this delivery?' }).waitFor();
  await accessible(page);
  await page.getByRole('button', { name: 'Skip delivery' }).click();

  await expect.poll(() => receiver.flags()).toEqual([first, first, second]);
  await rows(page).filter({ hasText: second }).filter({ hasText: '200' }).waitFor();
  await accessible(page);
});

quickly('replays a range after showing how many deliveries it has', async ({ page, api, logInAs }) => {
  const receiver = await startReceiver(500);
  const project = await createProject(api);
  const early = await createFlag(api, project);
  const id = await createWebhook(api, project, receiver.url);
  const [first, second] = [await createFlag(api, project), await createFlag(api, project)];
  await expect.poll(() => receiver.received.length).toBe(4);
  receiver.status = 200;
  receiver.received.length = 0;
  await logInAs({ rootRole: 'Admin' });

  await page.goto(`/integrations/${id}/deliveries`);
  await page.getByRole('button', { name: 'Replay…' }).click();
  await page.getByText('2 failed deliveries in this range.').waitFor();
  expect(receiver.received).toEqual([]);
  await accessible(page);
  await page.getByRole('button', { name: 'Replay 2 failed deliveries' }).click();
  await page.getByText('2 deliveries queued. That is all of the range.').waitFor();
  await expect.poll(() => receiver.flags().toSorted()).toEqual([first, second].toSorted());

  await page.getByText('Events without a delivery', { exact: true }).click();
  await page.getByRole('button', { name: 'Replay 1 event without a delivery' }).click();
  await expect.poll(() => receiver.flags()).toContain(early);
  await page.getByText('1 delivery queued. That is all of the range.').waitFor();
  await accessible(page);
});

test('lists the deliveries of all integrations', async ({ page, api, logInAs }) => {
  const receiver = await startReceiver();
  const project = await createProject(api);
  const id = await createWebhook(api, project, receiver.url);
  const flag = await createFlag(api, project);
  await expect.poll(() => receiver.flags()).toEqual([flag]);
  await logInAs({ rootRole: 'Admin' });

  await page.goto(`/deliveries?query=${flag}`);
  await rows(page).click();
  await page.getByRole('heading', { name: 'Delivered at attempt 1' }).waitFor();
  expect(new URL(page.url()).searchParams.get('integration')).toBe(String(id));
  await accessible(page);
});

test('names the permission that a user lacks', async ({ page, api, logInAs }) => {
  const project = await createProject(api);
  const id = await createWebhook(api, project, 'https://example.com/hook');
  await logInAs({ rootRole: 'Viewer' });

  await page.goto(`/integrations/${id}/deliveries`);
  await page.getByRole('heading', { name: 'You need another permission' }).first().waitFor();
  await page.getByRole('button', { name: 'Send test' }).focus();
  await page.getByText('Requires UPDATE_ADDON').waitFor();
  // A tooltip is outside of the landmarks.
  await page.getByRole('button', { name: 'Send test' }).blur();
  await page.getByText('Requires UPDATE_ADDON').waitFor({ state: 'hidden' });
  await accessible(page);
});
