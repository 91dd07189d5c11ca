// The health check of a container or a script: is the server on this machine ready?
import { readOptions, rejectOption } from '../src/platform/command-line.ts';
import { howToRun } from '../src/platform/files.ts';
import { describeVariables } from '../src/platform/variables.ts';

const RESPOND_WITHIN_MS = 5_000;
const WILDCARD_ADDRESSES = ['', '0.0.0.0', '::'];

const { url } = readOptions({
  run: howToRun('health'),
  does: `Asks a server for GET /ready. Exits with 0 if it responds with 200, otherwise with 1. It finds the server by the variables
HOST and PORT, like the server itself.`,
  options: { url: { type: 'string', default: '', meaning: 'Address of the server' } },
  variables: describeVariables('HOST', 'PORT'),
});

if (url !== '' && !/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
  rejectOption(howToRun('health'), `--url must be an http or https URL, not '${url}'`);

const address = url === '' ? ownAddress(process.env) : url;
try {
  const response = await fetch(new URL('/ready', address), {
    signal: AbortSignal.timeout(RESPOND_WITHIN_MS),
  });
  const text = (await response.text()).slice(0, 200);
  console.log(`${address} responded with ${response.status}: ${text}`);
  process.exitCode = response.ok ? 0 : 1;
} catch (error) {
  const { message, cause } = error as Error & { cause?: { code?: string } };
  console.error(`${address} does not respond: ${cause?.code ?? message}.`);
  process.exitCode = 1;
}

function ownAddress({ HOST = '', PORT = '' }: NodeJS.ProcessEnv): string {
  const host = WILDCARD_ADDRESSES.includes(HOST) ? '127.0.0.1' : HOST;
  return `http://${host.includes(':') ? `[${host}]` : host}:${PORT || 4242}`;
}
