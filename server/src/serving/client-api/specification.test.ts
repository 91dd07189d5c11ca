import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useHarness } from '../../test/harness.ts';
import { startSdk, TRANSPORTS, type Transport } from '../../test/sdk-client.ts';
import { makeEnvironment, putDocuments } from '../../test/sdk-documents.ts';
import { useSdkServer } from '../../test/sdk-server.ts';
import { evaluate, SPECIFICATIONS, stateOf } from '../../test/specification.ts';

const harness = useHarness();
const server = useSdkServer(harness);
const tokens = new Map<string, string>();

beforeAll(async () => {
  for (const specification of SPECIFICATIONS) {
    const { name } = specification;
    await makeEnvironment(harness.db, name);
    await putDocuments(harness.db, name, stateOf(specification));
    tokens.set(name, await server.token(name));
  }
});

let cases = 0;
afterAll(() => {
  expect(cases).toBe(279 * Object.keys(TRANSPORTS).length);
});

describe.each(Object.keys(TRANSPORTS) as Transport[])('by %s', transport => {
  test.each(SPECIFICATIONS)('evaluates $name', async specification => {
    const sdk = await startSdk(server.url, tokens.get(specification.name) ?? '', transport);

    const results = evaluate(sdk, specification);
    sdk.destroy();

    expect(results.filter(({ asSpecified }) => !asSpecified)).toEqual([]);
    cases += results.length;
  });
});
