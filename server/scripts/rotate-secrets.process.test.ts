import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { sealSecret } from '../src/people/auth-settings/secret.ts';
import { saveOidc } from '../src/people/auth-settings/store.ts';
import { makeKeyring } from '../src/platform/secrets/seal.ts';
import { COMPILE_CACHE } from '../src/test/compile-cache.ts';
import { APP_SETTINGS, useHarness } from '../src/test/harness.ts';
import { call } from '../src/test/request.ts';

const harness = useHarness();
const SCRIPT = fileURLToPath(new URL('rotate-secrets.ts', import.meta.url));
const [OLD, NEW] = [APP_SETTINGS.secretKey, Buffer.alloc(32, 9)];
const OLD_ID = makeKeyring(OLD, [])[0]?.id;

function rotate(args: string[], oldKeys: Buffer[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT, ...args], {
    encoding: 'utf8',
    env: {
      ...COMPILE_CACHE,
      PATH: process.env.PATH,
      DATABASE_URL: harness.databaseUrl,
      HALYARD_SECRET_KEY: NEW.toString('base64'),
      HALYARD_OLD_SECRET_KEYS: oldKeys.map(key => key.toString('base64')).join(','),
    },
  });
  expect(stderr).not.toMatch(/^\s+at /m);
  return { status, stdout, stderr };
}

test('exits with 1 and names the missing key, or with 0 after it lists and forgets the unreadable secrets', async () => {
  const { body } = await call(harness.app, 'POST', '/api/admin/addons', {
    body: {
      provider: 'webhook',
      description: 'CI hook',
      enabled: true,
      events: ['feature-created'],
      parameters: { url: 'https://a.example.com', authorization: 'Bearer x' },
    },
  });
  await harness.db.transaction().execute(tx =>
    saveOidc(tx, {
      content: { enabled: false } as never,
      defaultRoleId: 1,
      sealedSecret: sealSecret(makeKeyring(OLD, []), 'client secret'),
    }),
  );

  const failedRun = rotate([], []);
  expect(failedRun.status).toBe(1);
  expect(failedRun.stderr).toContain(
    `The secrets of integration ${body.id} (webhook, CI hook) are encrypted with the key ${OLD_ID}, which is neither`,
  );
  expect(failedRun.stderr).toContain(
    `The client secret for single sign-on is encrypted with the key ${OLD_ID}`,
  );
  expect(failedRun.stderr).toContain('Keep the old keys');

  const forgetRun = rotate(['--forget-unreadable'], []);
  expect(forgetRun.status, forgetRun.stderr).toBe(0);
  expect(forgetRun.stderr).toContain(
    `which cannot be undone:\n  integration ${body.id} (webhook, CI hook)\n  the client secret for single sign-on\n`,
  );

  expect(rotate([], [])).toMatchObject({ status: 0, stdout: expect.stringContaining('changed: 0.') });
});
