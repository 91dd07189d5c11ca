import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeKeyring } from '../../../platform/secrets/seal.ts';
import { SEED } from '../../../test/campaign.ts';
import { APP_SETTINGS, useHarness } from '../../../test/harness.ts';
import {
  RECORDED_TOKEN,
  type Responses,
  readRecorded,
  startRecordedApi,
} from '../../../test/recorded-api.ts';
import { SourceError } from '../../reading/source-error.ts';
import type { Report } from '../report.ts';
import { importUnleash } from '../run.ts';
import { encode } from './api-client.ts';
import { openApiSource } from './api-source.ts';
import { closeSource } from './source.ts';

// Responses from a server that is not Unleash, is broken, or lies.

const harness = useHarness();

async function run(responses: Responses): Promise<Report> {
  const source = await openApiSource(await startRecordedApi(responses), RECORDED_TOKEN, harness.databaseUrl);
  try {
    return await importUnleash(
      harness.db,
      source,
      { keyring: makeKeyring(APP_SETTINGS.secretKey, []), targets: { allowed: [], allowPrivate: false } },
      { plan: false, accept: true, overwrite: true, onlyChanged: false },
    );
  } finally {
    await closeSource(source);
  }
}

const withoutResponse = (responses: Responses, key: string): Responses =>
  Object.fromEntries(Object.entries(responses).filter(([other]) => other !== key));

test.each([
  ['8.2.0', 'GET projects'],
  ['8.2.0', 'GET projects/default/features'],
  ['4.19.5', 'GET state/export?format=json'],
] as const)(
  '%s: stops before it writes if %s is missing, so that no flag counts as deleted',
  async (version, key) => {
    const responses = readRecorded(version);
    expect(responses).toHaveProperty([key]);

    await expect(run(withoutResponse(responses, key))).rejects.toThrow(/^Unleash has no \/api\/admin\//);
    await expect(run({ ...responses, [key]: { status: 200, body: {} } })).rejects.toThrow(
      /^Unleash responded to GET \/api\/admin\/.* without/,
    );
  },
);

test('keeps a flag unchanged if Unleash lists it without its strategies', async () => {
  const responses = readRecorded('8.2.0');
  await run(responses);
  const exports = Object.keys(responses).filter(
    key => key.startsWith('POST features-batch/export') && key.includes('production'),
  );
  const emptied = exports.map(key => [key, { status: 200, body: { features: [] } }]);

  const report = await run({ ...responses, ...Object.fromEntries(emptied) });

  expect(report.get('features')).toMatchObject({ updated: 0, removed: 0 });
  expect(report.get('features')?.rejected).toContain(
    'checkout-v2: Unleash lists it, but does not return its configuration',
  );
});

test('stops at an endless list of archived flags', async () => {
  const responses = readRecorded('8.2.0');
  const page = { features: Array.from({ length: 100 }, () => ({ name: 'a', archivedAt: 'x' })) };
  const endless = new Proxy(responses, {
    get: (target, key) =>
      String(key).startsWith('GET search/features') ? { status: 200, body: page } : target[String(key)],
  });

  await expect(run(endless)).rejects.toThrow('Unleash lists more than 100,000 archived flags.');
});

const HOSTILE: unknown[] = [
  null,
  true,
  -1,
  1e300,
  '',
  'x'.repeat(1_000),
  "'; drop table features; --",
  'nul\u0000',
  'half \ud800',
  '\u202eabc',
  '../../admin',
  [],
  {},
  [null],
  [[[[]]]],
  { __proto__: null, constructor: 1 },
  JSON.parse(`${'['.repeat(3_000)}${']'.repeat(3_000)}`),
];

type Path = (string | number)[];

function* listPaths(value: unknown, path: Path = []): Generator<Path> {
  yield path;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) yield* listPaths(member, [...path, key]);
}

function replaceAt(value: unknown, [first, ...rest]: Path, replacement: unknown): unknown {
  if (first === undefined) return replacement;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string, unknown>;
  copy[first] = replaceAt(copy[first], rest, replacement);
  return copy;
}

test.each(['8.2.0', '4.19.5'] as const)(
  'Unleash %s: an import copes with any response or explains why it cannot',
  async version => {
    const recordedResponses = readRecorded(version);
    const paths = [...listPaths(recordedResponses)].filter(
      ([, part, ...rest]) => part === 'body' && rest.length > 0,
    );

    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom(...paths), fc.constantFrom(...HOSTILE)), {
          minLength: 1,
          maxLength: 5,
        }),
        async changes => {
          let responses: unknown = recordedResponses;
          for (const [path, value] of changes)
            try {
              responses = replaceAt(responses, path, value);
            } catch {
              // An earlier change has removed this path.
            }
          const failure = await run(responses as Responses).then(
            () => undefined,
            (error: Error) => error,
          );
          if (failure !== undefined) expect(failure).toBeInstanceOf(SourceError);
        },
      ),
      { numRuns: 8, seed: SEED },
    );
  },
  300_000,
);

test('rejects a name that no URL can contain', () => {
  expect(() => encode('half \ud800')).toThrow(
    new SourceError('Unleash responded with the invalid name "half \\ud800".'),
  );
  expect(encode('ä/b')).toBe('%C3%A4%2Fb');
});
