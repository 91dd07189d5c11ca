import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { accessible } from './support/accessible.ts';
import { createFlag, createProject, unique } from './support/api.ts';
import { test } from './support/test.ts';

/** Every path in routes.tsx, in the order of the file. */
const PATHS = [
  ...readFileSync(new URL('../src/routes.tsx', import.meta.url), 'utf8').matchAll(
    /\b(?:alone|inShell)\(\s*'([^']+)'/g,
  ),
].map(([, path = '']) => path);

test('every page loads without a violation of its policy, without an error, and is accessible', async ({
  page,
  api,
  logInAs,
}) => {
  const project = await createProject(api);
  const feature = await createFlag(api, project, { description: 'One page instead of four' });
  const { id: integration } = await api.send<{ id: number }>('POST', '/api/admin/addons', {
    provider: 'webhook',
    description: `Receiver ${unique()}`,
    enabled: false,
    parameters: { url: 'http://127.0.0.1:9/' },
    events: ['feature-created'],
  });
  const { events } = await api.send<{ events: { id: number }[] }>(
    'GET',
    `/api/admin/search/events?project=IS:${project}&limit=1`,
  );
  const values: Record<string, string> = {
    projectId: project,
    featureName: feature,
    eventId: String(events[0]?.id),
    provider: 'webhook',
    integrationId: String(integration),
    deliveryId: '1',
    token: 'unknown',
  };
  await logInAs({ rootRole: 'Admin' });

  expect(PATHS.length).toBeGreaterThan(15);
  for (const path of PATHS) {
    const address = path.replaceAll(/\$(\w+)/g, (_, name: string) => values[name] ?? `no value for ${name}`);
    const response = await page.goto(address, { waitUntil: 'networkidle' });
    expect(response?.headers()['content-security-policy'], address).toContain(
      "require-trusted-types-for 'script'",
    );
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    expect(await page.getByText(/This (page|part) did not load/).count(), address).toBe(0);
    await accessible(page);
  }
});
