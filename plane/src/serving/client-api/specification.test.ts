import { beforeAll, describe, expect, test } from 'vitest';
import { useHarness } from '../../../../server/src/test/harness.ts';
import { startSdk, TRANSPORTS, type Transport } from '../../../../server/src/test/sdk-client.ts';
import { makeEnvironment, putDocuments } from '../../../../server/src/test/sdk-documents.ts';
import { useSdkServer } from '../../../../server/src/test/sdk-server.ts';
import {
  buildState,
  evaluate,
  listCases,
  SPECIFICATIONS,
} from '../../../../server/src/test/specification.ts';

const harness = useHarness();
const server = useSdkServer(harness);
const tokens = new Map<string, string>();

beforeAll(async () => {
  for (const specification of SPECIFICATIONS) {
    const { name } = specification;
    await makeEnvironment(harness.db, name);
    await putDocuments(harness.db, name, buildState(specification));
    tokens.set(name, await server.token(name));
  }
});

/** An SDK evaluates the same flags in the same way on every transport, so the other transports get two files. */
const filesFor = (transport: Transport) =>
  transport === 'polling' || process.env.CAMPAIGN === 'long' ? SPECIFICATIONS : SPECIFICATIONS.slice(0, 2);

describe.each(Object.keys(TRANSPORTS) as Transport[])('by %s', transport => {
  test.each(filesFor(transport))('evaluates $name', async specification => {
    const sdk = await startSdk(server.url, tokens.get(specification.name) ?? '', transport);

    const results = evaluate(sdk, specification);
    sdk.destroy();

    expect(results).not.toEqual([]);
    expect(results.filter(({ asSpecified }) => !asSpecified)).toEqual([]);
  });
});

test('the specification has 279 cases', () => {
  expect(SPECIFICATIONS.flatMap(listCases)).toHaveLength(279);
});
