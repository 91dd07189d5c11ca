import querystring from 'node:querystring';
import fc from 'fast-check';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { campaignSize, GENERATED, SEED } from '../../../test/campaign.ts';
import { makeFeature, makeProject, makeUser } from '../../../test/factories.ts';
import { EXISTING, requestsTo, text } from '../../../test/generated-requests.ts';
import { ADMIN_TOKEN, useHarness } from '../../../test/harness.ts';
import { listAdminOperations, type Operation } from '../../../test/operations.ts';
import { call, injectRequest } from '../../../test/request.ts';

const RUNS_PER_OPERATION = campaignSize({ usual: 2, long: 20 });

const harness = useHarness();
const operations = listAdminOperations();

beforeAll(async () => {
  await makeProject(harness.db, { id: 'fuzzed' });
  await makeFeature(harness.db, 'fuzzed', { name: 'fuzzed' });
});

const COMMON_STATUSES = [400, 401, 403, 404, 413, 415];
const LEAK = /select |insert into|pg_|at .*\.ts:|node_modules|violates|constraint "|syntax error at/i;

/** The characters are NUL, half of a surrogate pair, and an overlong NUL with a broken escape. */
const UNSTORABLE = ['a%00b', '%ED%A0%80', '%C0%80%'];

test('a URL parameter with a character that cannot be stored never causes a 5xx', GENERATED, async () => {
  const user = await makeUser(harness.db, 'Admin');
  const problems: string[] = [];
  for (const { method, path, parameters, body } of operations) {
    // Existing resources are only read. Deletions name resources that do not exist.
    const fill = (template: string) =>
      template.replace(/\{(\w+)\}/g, (_, name) =>
        method === 'DELETE' ? 'nope' : (EXISTING[name] ?? String(user.id)),
      );
    const filledPath = fill(path);
    const pathParameters = parameters.filter(parameter => parameter.in === 'path');
    const names = [
      'unknown',
      ...parameters.filter(parameter => parameter.in === 'query').map(({ name }) => name),
    ];
    const urls = UNSTORABLE.flatMap(text => [
      ...names.map(name => `${filledPath}?${name}=${text}`),
      ...pathParameters.map(({ name }) => fill(path.replace(`{${name}}`, text))),
    ]);
    for (const url of [...urls, `${filledPath}?%00=1`]) {
      const { status } = await call(harness.app, method, url, {
        token: user.token,
        // An invalid body keeps the write from being carried out many times. The parameters are read before the body.
        ...(body === undefined ? {} : { body: null }),
      });
      if (status >= 500) problems.push(`${method} ${url}: ${status}`);
    }
  }

  expect(problems).toEqual([]);
});

const PATCHES = 400;

test(`none of ${PATCHES} generated JSON Patches causes a 5xx (seed ${SEED})`, GENERATED, async () => {
  const pointer = fc.oneof(
    fc.constantFrom('', '/', '/-', '/0', '/0/name', '/0/payload/value', '/description', '/stale', 'stale'),
    text,
  );
  const patches = fc.array(
    fc.record(
      {
        op: fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test'),
        path: pointer,
        from: pointer,
        value: fc.oneof(
          fc.jsonValue({ maxDepth: 2 }),
          fc.constantFrom({ name: 'blue', weight: 0 }, 'text', true),
        ),
      },
      { requiredKeys: ['op', 'path'] },
    ),
    { minLength: 1, maxLength: 6 },
  );
  const feature = '/api/admin/projects/fuzzed/features/fuzzed';
  const paths = [feature, `${feature}/environments/development/variants`];

  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...paths), patches, async (url, body) => {
      expect([200, 400]).toContain((await call(harness.app, 'PATCH', url, { body })).status);
    }),
    { numRuns: PATCHES, seed: SEED },
  );
});

test(
  `${RUNS_PER_OPERATION} generated requests per operation get documented responses, without a 5xx or internal details (seed ${SEED})`,
  GENERATED,
  async () => {
    const user = await makeUser(harness.db, 'Editor');
    const tokens: Record<string, string> = { admin: ADMIN_TOKEN, user: user.token };
    let requestCount = 0;
    let authenticatedCount = 0;

    const respondsAsDocumented = (testedOperation: Operation) =>
      fc.asyncProperty(requestsTo([testedOperation]), async ({ operation, url, headers, payload }) => {
        const authorization =
          headers.authorization === undefined
            ? {}
            : { authorization: tokens[headers.authorization] ?? headers.authorization };
        const response = await injectRequest(harness.app, {
          method: operation.method,
          url,
          headers: { ...headers, ...authorization },
          ...(payload === undefined ? {} : { payload }),
        });
        requestCount++;
        if (response.statusCode !== 401) authenticatedCount++;

        expect([...operation.statuses.filter(status => status < 500), ...COMMON_STATUSES]).toContain(
          response.statusCode,
        );
        if (response.statusCode >= 400) {
          // The OpenFeature CLI expects its own error format, so errors about a manifest contain both formats.
          const { error: _, ...error } = JSON.parse(response.body);
          expect(error).toEqual({
            id: expect.stringMatching(/^[0-9a-f-]{36}$/),
            name: expect.stringMatching(/^[A-Z]\w+$/),
            message: expect.any(String),
            details: expect.arrayContaining([expect.objectContaining({ message: expect.any(String) })]),
          });
          const leakedText = LEAK.exec(error.message)?.[0] ?? '';
          // A message may quote a name from the request, which can be "pg_".
          const description = `${querystring.unescape(url)} ${JSON.stringify(payload)}`;
          expect(description.includes(leakedText) ? '' : error.message).not.toMatch(LEAK);
        }
      });
    for (const [index, operation] of operations.entries()) {
      await fc.assert(respondsAsDocumented(operation), { numRuns: RUNS_PER_OPERATION, seed: SEED + index });
      // In maintenance mode, which a generated body can enable, all later writes would be rejected.
      await sql`update maintenance_settings set enabled = false`.execute(harness.db);
    }

    expect(requestCount).toBe(operations.length * RUNS_PER_OPERATION);
    // If the token had been revoked during the run, the test would prove nothing.
    expect(authenticatedCount).toBeGreaterThan(requestCount * 0.7);
  },
);
