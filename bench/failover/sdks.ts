import { OFREPWebProvider } from '@openfeature/ofrep-web-provider';
import { EventSource } from 'undici';
import { startBrowserSdk } from '../../server/src/test/browser-sdk.ts';
import { startSdk, type Transport } from '../../server/src/test/sdk-client.ts';
import { type Documents, differenceOf, flagsOf, readDocuments, waitUntilEqual } from '../sdks.ts';
import type { Era } from './database.ts';
import { ENVIRONMENT } from './writers.ts';

const POLL_MS = 1_000;

export const KINDS = ['polling', 'streaming', 'frontend', 'ofrep'] as const;
type Kind = (typeof KINDS)[number];

export type Sdk = {
  kind: Kind;
  /** What differs from the database, or undefined if nothing does. */
  difference: (database: Documents, names: ReadonlySet<string>) => string | undefined;
  stop: () => void;
};

/** Starts real SDKs, the same number of each kind. */
export async function startSdks(
  server: string,
  count: number,
  tokens: { backend: string; frontend: string },
): Promise<Sdk[]> {
  // Browsers have it. Node.js has it behind a flag.
  Object.assign(globalThis, { EventSource });
  const start = {
    polling: () => startServerSdk(server, tokens.backend, 'polling'),
    streaming: () => startServerSdk(server, tokens.backend, 'streaming'),
    frontend: (n: number) => startFrontendSdk(server, tokens.frontend, n),
    ofrep: (n: number) => startOfrepSdk(server, tokens.frontend, n),
  };
  const sdks: Sdk[] = [];
  for (let n = 0; n < count; n++) sdks.push(await start[KINDS[n % KINDS.length] ?? 'polling'](n));
  return sdks;
}

async function startServerSdk(server: string, token: string, transport: Transport & Kind): Promise<Sdk> {
  const sdk = await startSdk(server, token, transport, POLL_MS);
  return {
    kind: transport,
    difference: database => differenceOf(flagsOf(sdk), database),
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
      differenceOf(
        new Map(sdk.getAllToggles().map(({ name, variant }) => [name, variant.name])),
        enabledIn(database),
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
      const seen = [...names].flatMap(name => {
        const { value, variant } = sdk.resolveBooleanEvaluation(name, false, context);
        return value ? [[name, variant ?? 'disabled'] as const] : [];
      });
      return differenceOf(new Map(seen), enabledIn(database));
    },
    stop: () => void sdk.onClose?.(),
  };
}

/** The variants of the enabled flags, which are enabled for everybody. A flag without a strategy has the variant `disabled`. */
function enabledIn(database: Documents): Map<string, string> {
  const enabled = [...database.values()].filter(({ enabled }) => enabled);
  return new Map(
    enabled.map(({ name, strategies }) => [name, strategies[0]?.variants?.[0]?.name ?? 'disabled']),
  );
}

/** Waits until all SDKs have what the database has. Returns those that are not up to date in time, and how long it took. */
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
