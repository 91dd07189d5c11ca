import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import type { IVariant } from 'unleash-proxy-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BrowserContext, startBrowserSdk } from '../../../../server/src/test/browser-sdk.ts';
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
let caseCount = 0;
let exceptionCount = 0;

/** Cases whose result differs in the browser, with the reason. */
const EXCEPTIONS: Record<string, string> = {
  'Feature.A4 should be disabled when no user on context': 'The SDK sends a session id with every context',
  'Feature.remoteAddress.A should not be enabled for missing remoteAddress on context':
    "The client's IP address is the default, and the flag is enabled for the test's IP address",
};

const listCases = (specification: Specification) => sampleCases(specification, Object.keys(EXCEPTIONS));
const CASES = SPECIFICATIONS.flatMap(listCases).length;

/** The token determines the environment, so a case for a specific environment needs a token for it. */
const getEnvironment = ({ name }: Specification, { context }: SpecifiedCase): string =>
  context.environment ?? name;

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

afterAll(() => {
  expect([caseCount, exceptionCount]).toEqual([2 * CASES, 2 * 2]);
});

describe.each([
  ['GET', false],
  ['POST', true],
])('by %s', (_, usePOSTrequests) => {
  test.each(SPECIFICATIONS)('evaluates $name', async specification => {
    const wrongCases: string[] = [];
    for (const specifiedCase of listCases(specification)) {
      const { appName = 'test', environment: _, ...context } = specifiedCase.context;
      const token = tokens.get(`${specification.name} ${getEnvironment(specification, specifiedCase)}`) ?? '';
      const sdk = await startBrowserSdk({
        url: server.url,
        token,
        appName,
        usePOSTrequests,
        // The files contain strings, even for times.
        context: context as object as BrowserContext,
      });
      expect(sdk.getError()).toBeUndefined();
      const result =
        typeof specifiedCase.expectedResult === 'boolean'
          ? sdk.isEnabled(specifiedCase.toggleName)
          : toVariant(sdk.getVariant(specifiedCase.toggleName));
      sdk.stop();
      caseCount++;
      if (!isDeepStrictEqual(result, specifiedCase.expectedResult))
        wrongCases.push(specifiedCase.description);
    }

    expect(wrongCases).toEqual(
      listCases(specification).flatMap(({ description }) => (description in EXCEPTIONS ? [description] : [])),
    );
    exceptionCount += wrongCases.length;
  });
});

const toVariant = ({ name, enabled, feature_enabled, payload }: IVariant) => ({
  name,
  enabled,
  feature_enabled,
  ...(payload ? { payload } : {}),
});
