// A process with several real SDKs. The campaign pauses and resumes this process with signals, and asks it which changes
// the SDKs have.
import type { Unleash } from 'unleash-client';
import { startSdk, type Transport } from '../../server/src/test/sdk-client.ts';
import { readChangeNumber } from '../sdks.ts';

export type SdkSettings = {
  url: string;
  token: string;
  transport: Transport;
  /** The instance ids of the SDKs. */
  names: string[];
  intervalMs: number;
  flagCount: number;
};

process.setMaxListeners(0);
process.once('message', async ({ url, token, transport, names, intervalMs, flagCount }: SdkSettings) => {
  const sdks: Unleash[] = [];
  for (const name of names) sdks.push(await startSdk(url, token, transport, intervalMs, name));
  /** Reads the number of each flag's last change from an SDK. */
  const readChangeNumbers = (sdk: Unleash) =>
    Array.from({ length: flagCount }, (_, n) => readChangeNumber(sdk, `flag-${n}`));
  process.on('message', () => process.send?.(sdks.map(readChangeNumbers)));
  process.send?.('ready');
});
process.once('disconnect', () => process.exit());
