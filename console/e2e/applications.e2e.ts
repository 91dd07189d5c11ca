import pg from 'pg';
import { expect, vi } from 'vitest';
import { expectAccessible } from './support/accessible.ts';
import { createFlag, createProject, unique } from './support/api.ts';
import { testWithOwnServer } from './support/test.ts';

const eventually = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 90_000, interval: 100 });

testWithOwnServer()(
  'an instance that polls but does not pick up a change is marked in the list and on the application page',
  async ({ page, api, server, logInAs }) => {
    const project = await createProject(api);
    const flag = await createFlag(api, project);
    const appName = `shop-${unique()}`;
    const { secret } = await api.send<{ secret: string }>('POST', '/api/admin/api-tokens', {
      tokenName: appName,
      type: 'backend',
      environment: 'development',
      projects: [project],
    });
    const send = (path: string, init: RequestInit = {}) =>
      fetch(server.url + path, {
        ...init,
        headers: {
          authorization: secret,
          'content-type': 'application/json',
          'unleash-connection-id': appName,
          'unleash-appname': appName,
          'unleash-instanceid': 'pod',
          ...init.headers,
        },
      });
    const registration = {
      appName,
      instanceId: 'pod',
      strategies: [],
      started: new Date(),
      interval: 15_000,
    };
    await send('/api/client/register', { method: 'POST', body: JSON.stringify(registration) });
    const db = new pg.Client(server.databaseUrl);
    await db.connect();
    try {
      const etag = (await send('/api/client/features')).headers.get('etag') ?? '';
      await eventually(async () => {
        await send('/api/client/features', { headers: { 'if-none-match': etag } });
        const { rows } = await db.query(
          'select from reach_instances where application = $1 and revision > 0',
          [appName],
        );
        expect(rows).toHaveLength(1);
      });
      await api.send('POST', `/api/admin/projects/${project}/features/${flag}/environments/development/on`);
      // Backdates the change, because an instance counts as behind only after a while.
      await eventually(async () => {
        await db.query(
          "update sdk_publications set published_at = least(published_at, now() - interval '20 minutes')",
        );
        const { applications } = await api.send<{ applications: { instancesBehind: number }[] }>(
          'GET',
          `/api/admin/metrics/applications?query=${appName}`,
        );
        expect(applications).toMatchObject([{ instancesBehind: 1 }]);
      });
    } finally {
      await db.end();
    }

    await logInAs({ rootRole: 'Admin' });
    await page.goto('/applications');
    await page.getByRole('row').filter({ hasText: appName }).getByText('1 instance is behind').waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: appName }).click();
    await page.getByText(/pod keeps asking for flags but has not picked up any changes since/).waitFor();
    await expectAccessible(page);
  },
);
