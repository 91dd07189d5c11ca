// A process with several real SDKs. The campaign stops and continues it with signals, and asks for what its SDKs have.
import type { Unleash } from 'unleash-client';
import { startSdk, type Transport } from '../../server/src/test/sdk-client.ts';
import { numberOf } from '../sdks.ts';

export type SdkSettings = {
  url: string;
  token: string;
  transport: Transport;
  /** The instance ids of the SDKs. */
  names: string[];
  interval: number;
  flags: number;
};

process.setMaxListeners(0);
process.once('message', async ({ url, token, transport, names, interval, flags }: SdkSettings) => {
  const sdks: Unleash[] = [];
  for (const name of names) sdks.push(await startSdk(url, token, transport, interval, name));
  /** The number of the last change of each flag that the SDK has. */
  const numbersOf = (sdk: Unleash) => Array.from({ length: flags }, (_, n) => numberOf(sdk, `flag-${n}`));
  process.on('message', () => process.send?.(sdks.map(numbersOf)));
  process.send?.('ready');
});
process.once('disconnect', () => process.exit());
