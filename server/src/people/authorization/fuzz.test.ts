import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { campaignSize, GENERATED, SEED } from '../../test/campaign.ts';
import { makePerson } from '../../test/factories.ts';
import { text } from '../../test/generated-requests.ts';
import { useHarness } from '../../test/harness.ts';
import { type Browser, logIn } from '../../test/login.ts';
import {
  buildAuthorizationQuery,
  DECISIONS,
  makePkce,
  REDIRECT_URI,
  sendForm,
} from '../../test/oauth-client.ts';
import { DEVICE_GRANT } from './metadata.ts';

const harness = useHarness();
const RUNS = campaignSize({ usual: 300, long: 5_000 });
let browser: Browser;

beforeAll(async () => {
  const { username } = await makePerson(harness.db, 'Viewer');
  browser = await logIn(harness.app, username);
});

const value = fc.oneof(
  text,
  fc.constantFrom(
    '',
    '\0',
    '%00',
    'halyard-cli',
    'dyn_',
    `dyn_${'A'.repeat(300)}`,
    'https://',
    REDIRECT_URI,
    '.',
    '..',
  ),
);
/** The characters that RFC 6749 allows in error_description. */
const DESCRIPTION = /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/;

const fields = fc.dictionary(
  fc.constantFrom(
    'grant_type',
    'client_id',
    'code',
    'code_verifier',
    'redirect_uri',
    'refresh_token',
    'device_code',
    'token',
    'scope',
    'resource',
    '__proto__',
  ),
  fc.oneof(
    value,
    fc.array(value, { maxLength: 3 }),
    fc.constantFrom('authorization_code', 'refresh_token', DEVICE_GRANT),
  ),
);

test(
  `generated forms never cause a 5xx, and every error has the OAuth format (seed ${SEED})`,
  GENERATED,
  async () => {
    const path = fc.constantFrom('/oauth/token', '/oauth/device_authorization', '/oauth/revoke');
    await fc.assert(
      fc.asyncProperty(path, fields, async (url, form) => {
        const { status, body } = await sendForm(harness.app, url, form, { ip: '203.0.113.40' });
        expect([200, 400, 429]).toContain(status);
        if (status !== 200) {
          expect(Object.keys(body).toSorted()).toEqual(['error', 'error_description']);
          expect(body.error_description).toMatch(DESCRIPTION);
        }
        if (url === '/oauth/token') expect(status).toBe(400);
      }),
      { numRuns: RUNS, seed: SEED },
    );
  },
);

test(`generated registrations never cause a 5xx (seed ${SEED})`, GENERATED, async () => {
  const metadata = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.record({ client_name: value, redirect_uris: fc.array(value, { maxLength: 12 }) }),
  );
  await fc.assert(
    fc.asyncProperty(metadata, async body => {
      const response = await harness.app.inject({
        method: 'POST',
        url: '/oauth/register',
        headers: { 'content-type': 'application/json' },
        payload: JSON.stringify(body),
      });
      expect([201, 400]).toContain(response.statusCode);
    }),
    { numRuns: RUNS, seed: SEED },
  );
});

test(
  `generated authorization URLs never cause a 5xx or a redirect elsewhere (seed ${SEED})`,
  GENERATED,
  async () => {
    const names = [
      'response_type',
      'client_id',
      'redirect_uri',
      'state',
      'resource',
      'scope',
      'code_challenge',
      'request',
    ];
    const changes = fc.dictionary(fc.constantFrom(...names), fc.option(value, { nil: undefined }), {
      maxKeys: 3,
    });
    await fc.assert(
      fc.asyncProperty(changes, async changed => {
        const { status, body } = await browser.send('POST', DECISIONS, {
          body: {
            query: buildAuthorizationQuery(makePkce(), changed as Record<string, string | undefined>),
            allow: false,
          },
        });
        expect([200, 400]).toContain(status);
        if (status === 200) expect(new URL(body.redirectTo).host).toBe(new URL(REDIRECT_URI).host);
      }),
      { numRuns: RUNS, seed: SEED },
    );
  },
);
