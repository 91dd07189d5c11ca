import { readFileSync } from 'node:fs';
import { keepCurrent } from '@halyard/plane/serving/state/keep-current.ts';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listenForChanges } from '../../publishing/source/database-source.ts';
import { startFlushLoop } from '../../reporting/metrics/flush-loop.ts';
import { ADMIN_TOKEN, useHarness } from '../harness.ts';
import { PUBLIC_URL } from '../public-url.ts';
import { injectRequest } from '../request.ts';
import { readRecording } from './file.ts';
import { KNOWN_DIFFERENCES } from './known-differences.ts';
import { type Recording, run, type Send } from './run.ts';
import { findDifferences } from './shape.ts';

// Sends to Halyard what `npm run check:unleash` sent to Unleash, and compares the responses.

const harness = useHarness();
const stopFunctions: (() => Promise<void>)[] = [];
const unleashRecording = readRecording();
let ownRecording: Recording = {};
let found: { operation: string; name: string; what: string }[] = [];

beforeAll(async () => {
  const log = { warn: () => {} };
  stopFunctions.push(
    await keepCurrent(harness.app.serving, listenForChanges(harness.databaseUrl), log, new Registry()),
  );
  const flusher = startFlushLoop(harness.app.usage, harness.db, log, new Registry());
  stopFunctions.push(flusher.stop);
  ownRecording = await run(send, ADMIN_TOKEN, flusher.flush);
  found = compare();
}, 600_000);
afterAll(async () => {
  for (const stop of stopFunctions) await stop();
});

async function send({ method, path, headers, body }: Parameters<Send>[0]): ReturnType<Send> {
  const response = await injectRequest(harness.app, {
    method: method as 'GET',
    url: path,
    headers: { ...headers, origin: PUBLIC_URL },
    ...(body === undefined ? {} : { payload: body }),
  });
  const isJson = String(response.headers['content-type']).startsWith('application/json');
  const [cookie] = [response.headers['set-cookie'] ?? []].flat();
  return {
    status: response.statusCode,
    cookie: cookie === undefined ? undefined : String(cookie).split(';')[0],
    body: response.body === '' ? undefined : isJson ? JSON.parse(response.body) : response.body,
  };
}

const compare = () =>
  Object.entries(unleashRecording).flatMap(([operation, cases]) =>
    Object.entries(cases).flatMap(([name, unleashResponse]) => {
      const actual = ownRecording[operation]?.[name];
      if (!actual || actual.status !== unleashResponse.status)
        return [{ operation, name, what: `status: ${actual?.status} instead of ${unleashResponse.status}` }];
      if (unleashResponse.shape === undefined || actual.shape === undefined) return [];
      return [...findDifferences(unleashResponse.shape, actual.shape)].map(what => ({
        operation,
        name,
        what,
      }));
    }),
  );

const matches = (
  { operations, cases, found: pattern }: (typeof KNOWN_DIFFERENCES)[number],
  { operation, name, what }: (typeof found)[number],
): boolean =>
  (operations === 'all' || operations.includes(operation)) &&
  (cases === undefined || cases.test(name)) &&
  pattern.test(what);

test('sends exactly the recorded cases', () => {
  const listCases = (recording: Recording) =>
    Object.entries(recording).map(([operation, cases]) => [operation, Object.keys(cases)]);

  // After changing the requests, run `npm run check:unleash` to record them again.
  expect(listCases(ownRecording)).toEqual(listCases(unleashRecording));
});

test('responds as Unleash does, except for the known differences', () => {
  const unknownDifferences = found.filter(
    difference => !KNOWN_DIFFERENCES.some(knownDifference => matches(knownDifference, difference)),
  );

  expect(unknownDifferences).toEqual([]);
});

test('every known difference exists, for each of its operations', () => {
  const missingDifferences = KNOWN_DIFFERENCES.flatMap(knownDifference =>
    knownDifference.operations === 'all'
      ? found.some(difference => matches(knownDifference, difference))
        ? []
        : [knownDifference.difference]
      : knownDifference.operations
          .filter(
            operation =>
              !found.some(
                difference => difference.operation === operation && matches(knownDifference, difference),
              ),
          )
          .map(operation => `${operation}: ${knownDifference.difference}`),
  );

  expect(missingDifferences).toEqual([]);
});

// These are streams, single sign-on, operations for which Unleash needs a network connection, and operations that its open-source
// package lacks. The package also lacks the operations in the Enterprise section.
const NOT_SENT = new Set([
  'POST /api/frontend/client/events',
  'POST /api/admin/addons',
  'GET /api/admin/addons/:id',
  'PUT /api/admin/addons/:id',
  'DELETE /api/admin/addons/:id',
  'GET /api/client/streaming',
  'GET /auth/oidc/login',
  'GET /auth/oidc/callback',
]);

test('an operation marked "yes" in the documentation has no known difference, and was compared unless that is impossible', () => {
  const page = readFileSync(new URL('../../../../docs/reference/compatibility.md', import.meta.url), 'utf8');
  const ownOperations = new Set(
    KNOWN_DIFFERENCES.flatMap(({ operations }) => (operations === 'all' ? [] : operations)),
  );
  const wrongSections = page.split(/^## /m).flatMap(section =>
    [...section.matchAll(/^\| ([A-Z]+) +\| `([^`]+)` +\| (\S+) /gm)].flatMap(([, method, path, mark]) => {
      const operation = `${method} ${path}`;
      const isEnterprise = section.startsWith('Enterprise');
      const isCompared = unleashRecording[operation] !== undefined || NOT_SENT.has(operation) || isEnterprise;
      if (mark === 'yes' && (ownOperations.has(operation) || !isCompared))
        return [`${operation} is not "yes"`];
      return [];
    }),
  );

  expect(wrongSections).toEqual([]);
});
