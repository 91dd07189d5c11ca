import { OFREPWebProvider } from '@openfeature/ofrep-web-provider';
import { EventSource } from 'undici';
import { startBrowserSdk } from '../../server/src/test/browser-sdk.ts';
import { startSdk, type Transport } from '../../server/src/test/sdk-client.ts';
import { type Documents, describeDifference, getSdkFlags, readDocuments, waitUntilEqual } from '../sdks.ts';
import type { Era } from './database.ts';
import { ENVIRONMENT } from './writers.ts';

const POLL_MS = 1_000;

export const KINDS = ['polling', 'streaming', 'frontend', 'ofrep'] as const;
type Kind = (typeof KINDS)[number];

export type Sdk = {
  kind: Kind;
  /** Describes the first difference from the database, and returns undefined if there is none. */
  difference: (database: Documents, names: ReadonlySet<string>) => string | undefined;
  stop: () => void;
};

/** Starts real SDKs, the same number of each kind. */
export async function startSdks(
  server: string,
  count: number,
  tokens: { backend: string; frontend: string },
): Promise<Sdk[]> {
  // Browser SDKs need EventSource, which Node.js provides only behind a flag.
  Object.assign(globalThis, { EventSource });
  const starters = {
    polling: () => startServerSdk(server, tokens.backend, 'polling'),
    streaming: () => startServerSdk(server, tokens.backend, 'streaming'),
    frontend: (n: number) => startFrontendSdk(server, tokens.frontend, n),
    ofrep: (n: number) => startOfrepSdk(server, tokens.frontend, n),
  };
  const sdks: Sdk[] = [];
  for (let n = 0; n < count; n++) sdks.push(await starters[KINDS[n % KINDS.length] ?? 'polling'](n));
  return sdks;
}

async function startServerSdk(server: string, token: string, transport: Transport & Kind): Promise<Sdk> {
  const sdk = await startSdk(server, token, transport, POLL_MS);
  return {
    kind: transport,
    difference: database => describeDifference(getSdkFlags(sdk), database),
    stop: () => sdk.destroy(),
  };
}

async function startFrontendSdk(server: string, token: string, n: number): Promise<Sdk> {
  const context = { userId: `user-${n}` };
  const sdk = await startBrowserSdk({ url: server, token, context, refreshInterval: POLL_MS / 1_000 });
  sdk.on('error', () => {});
  return {
    kind: 'frontend',
    difference: database =>
      describeDifference(
        new Map(sdk.getAllToggles().map(({ name, variant }) => [name, variant.name])),
        listEnabledVariants(database),
      ),
    stop: () => sdk.stop(),
  };
}

async function startOfrepSdk(server: string, token: string, n: number): Promise<Sdk> {
  const sdk = new OFREPWebProvider({
    baseUrl: server,
    headers: [['Authorization', `Bearer ${token}`]],
    cacheMode: 'disabled',
  });
  const context = { targetingKey: `user-${n}` };
  await sdk.initialize(context);
  return {
    kind: 'ofrep',
    difference: (database, names) => {
      const evaluations = [...names].flatMap(name => {
        const { value, variant } = sdk.resolveBooleanEvaluation(name, false, context);
        return value ? [[name, variant ?? 'disabled'] as const] : [];
      });
      return describeDifference(new Map(evaluations), listEnabledVariants(database));
    },
    stop: () => void sdk.onClose?.(),
  };
}

/** Returns the variant of each enabled flag, which is the same for every user. Without a strategy, the variant is `disabled`. */
function listEnabledVariants(database: Documents): Map<string, string> {
  const enabledFlags = [...database.values()].filter(({ enabled }) => enabled);
  return new Map(
    enabledFlags.map(({ name, strategies }) => [name, strategies[0]?.variants?.[0]?.name ?? 'disabled']),
  );
}

/** Waits until all SDKs match the database or the time is up, and returns the remaining differences. */
export async function compareSdks(
  sdks: Sdk[],
  era: Era,
  names: ReadonlySet<string>,
  withinMs: number,
): Promise<{ differing: string[]; ms: number }> {
  const database = await readDocuments(era.pool, ENVIRONMENT);
  return await waitUntilEqual(
    () =>
      sdks.flatMap(sdk => {
        const difference = sdk.difference(database, names);
        return difference === undefined ? [] : [`${sdk.kind} SDK: ${difference}`];
      }),
    withinMs,
  );
}
