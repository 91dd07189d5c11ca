import { isDeepStrictEqual } from 'node:util';
import { OFREPProvider } from '@openfeature/ofrep-provider';
import { OFREPWebProvider } from '@openfeature/ofrep-web-provider';
import { type EvaluationContext, OpenFeature } from '@openfeature/server-sdk';
import { type Provider, OpenFeature as WebOpenFeature } from '@openfeature/web-sdk';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeProject } from '../../../../server/src/test/factories.ts';
import { useHarness } from '../../../../server/src/test/harness.ts';
import { putDocuments } from '../../../../server/src/test/sdk-documents.ts';
import { useSdkServer } from '../../../../server/src/test/sdk-server.ts';
import {
  buildState,
  SPECIFICATIONS,
  type Specification,
  type SpecifiedCase,
  sampleCases,
} from '../../../../server/src/test/specification.ts';

const harness = useHarness();
const server = useSdkServer(harness);
const tokens = new Map<string, string>();
const counts = { cases: 0, exceptions: 0 };

/** Cases whose result differs in OpenFeature, with the reason. */
const EXCEPTIONS: Record<string, string> = {
  'Feature.A4 should be disabled when no user on context': 'A context without a session id gets a random one',
  'Feature.remoteAddress.A should not be enabled for missing remoteAddress on context':
    "The client's IP address is the default, and the flag is enabled for the test's IP address",
};

const listCases = (specification: Specification) => sampleCases(specification, Object.keys(EXCEPTIONS));
const CASES = SPECIFICATIONS.flatMap(listCases).length;
const getEnvironment = ({ name }: Specification, { context }: SpecifiedCase): string =>
  context.environment ?? name;
const expectedExceptions = (specification: Specification) =>
  listCases(specification).flatMap(({ description }) => (description in EXCEPTIONS ? [description] : []));

beforeAll(async () => {
  for (const specification of SPECIFICATIONS) {
    const project = specification.name;
    await makeProject(harness.db, { id: project });
    const { features, segments } = buildState(specification);
    for (const environment of new Set(
      listCases(specification).map(specifiedCase => getEnvironment(specification, specifiedCase)),
    )) {
      await sql`
        insert into environments (name, type, sort_order) values (${environment}, 'test', 1000)
        on conflict do nothing`.execute(harness.db);
      const documents = features.map(feature => ({ ...feature, project }));
      await putDocuments(harness.db, environment, { features: documents, segments });
      tokens.set(`${project} ${environment}`, await server.token(environment, [project], 'frontend'));
    }
  }
});

afterAll(async () => {
  await OpenFeature.close();
  await WebOpenFeature.close();
  expect(counts).toEqual({ cases: 2 * CASES, exceptions: 2 * 2 });
});

/** OpenFeature has no properties, so all fields are on one level. */
function contextFor({ context }: SpecifiedCase): EvaluationContext {
  const { properties = {}, environment: _, userId, ...fields } = context;
  return JSON.parse(
    JSON.stringify({ ...properties, ...fields, ...(userId === undefined ? {} : { targetingKey: userId }) }),
  );
}

const optionsFor = (specification: Specification, specifiedCase: SpecifiedCase) => ({
  baseUrl: server.url,
  headers: [
    [
      'Authorization',
      `Bearer ${tokens.get(`${specification.name} ${getEnvironment(specification, specifiedCase)}`)}`,
    ],
  ] as [string, string][],
});

type Details = { value: unknown; variant?: string; errorCode?: string };
/** The read functions that the cases need. */
type Reader = {
  boolean: (key: string) => Promise<Details>;
  payload: (key: string, type: string | undefined) => Promise<Details>;
};

/** Returns the result of a case, in the form that the specification uses. */
async function readResult(specifiedCase: SpecifiedCase, read: Reader): Promise<unknown> {
  const { toggleName: name, expectedResult } = specifiedCase;
  if (typeof expectedResult === 'boolean') return (await readBoolean(name, read)).value;
  const { payload } = expectedResult as { payload?: { type: string; value: string } };
  const enabled = await readBoolean(name, read);
  const details = payload ? await read.payload(name, payload.type) : enabled;
  const isVariant = details.variant !== undefined;
  const value = payload?.type === 'json' ? JSON.stringify(details.value) : String(details.value);
  const expectedValue = payload?.type === 'json' ? JSON.stringify(JSON.parse(payload.value)) : payload?.value;
  return {
    name: details.variant ?? 'disabled',
    enabled: isVariant,
    feature_enabled: enabled.value,
    ...(payload
      ? { payload: { type: payload.type, value: value === expectedValue ? payload.value : value } }
      : {}),
  };
}

/** A flag with payloads has a second key for its boolean. */
async function readBoolean(name: string, read: Reader): Promise<Details> {
  const second = await read.boolean(`${name}.enabled`);
  return second.errorCode === 'FLAG_NOT_FOUND' ? await read.boolean(name) : second;
}

describe('through the provider for servers', () => {
  test.each(SPECIFICATIONS)('evaluates $name', async specification => {
    const wrong: string[] = [];
    for (const specifiedCase of listCases(specification)) {
      const domain = `${specification.name} ${getEnvironment(specification, specifiedCase)}`;
      await OpenFeature.setProviderAndWait(
        domain,
        new OFREPProvider(optionsFor(specification, specifiedCase)),
      );
      const client = OpenFeature.getClient(domain);
      const context = contextFor(specifiedCase);
      const result = await readResult(specifiedCase, {
        boolean: key => client.getBooleanDetails(key, false, context),
        payload: (key, type) =>
          type === 'json'
            ? client.getObjectDetails(key, {}, context)
            : type === 'number'
              ? client.getNumberDetails(key, 0, context)
              : client.getStringDetails(key, '', context),
      });
      counts.cases++;
      if (!isDeepStrictEqual(result, specifiedCase.expectedResult)) wrong.push(specifiedCase.description);
    }

    expect(wrong).toEqual(expectedExceptions(specification));
    counts.exceptions += wrong.length;
  });
});

describe('through the provider for browsers', () => {
  test.each(SPECIFICATIONS)('evaluates $name', async specification => {
    const wrong: string[] = [];
    for (const [index, specifiedCase] of listCases(specification).entries()) {
      const domain = `${specification.name} ${index}`;
      await WebOpenFeature.setContext(domain, contextFor(specifiedCase));
      await WebOpenFeature.setProviderAndWait(
        domain,
        new OFREPWebProvider({
          ...optionsFor(specification, specifiedCase),
          cacheMode: 'disabled',
        }) as Provider,
      );
      const client = WebOpenFeature.getClient(domain);
      const result = await readResult(specifiedCase, {
        boolean: async key => client.getBooleanDetails(key, false),
        payload: async (key, type) =>
          type === 'json'
            ? client.getObjectDetails(key, {})
            : type === 'number'
              ? client.getNumberDetails(key, 0)
              : client.getStringDetails(key, ''),
      });
      counts.cases++;
      if (!isDeepStrictEqual(result, specifiedCase.expectedResult)) wrong.push(specifiedCase.description);
    }

    expect(wrong).toEqual(expectedExceptions(specification));
    counts.exceptions += wrong.length;
  });
});
