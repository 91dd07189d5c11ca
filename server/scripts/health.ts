// The health check for containers and scripts, which checks whether the server on this machine is ready.
import { readOptions, rejectOption } from '../src/platform/command-line.ts';
import { howToRun } from '../src/platform/files.ts';
import { describeVariables } from '../src/platform/variables.ts';

const RESPONSE_TIMEOUT_MS = 5_000;
const WILDCARD_ADDRESSES = ['', '0.0.0.0', '::'];

const { url } = readOptions({
  run: howToRun('health'),
  does: `Sends GET /ready to a server. Exits with 0 if the server responds with 200, otherwise with 1. By default, it uses the server's
variables HOST and PORT.`,
  options: { url: { type: 'string', default: '', meaning: 'URL of the server' } },
  variables: describeVariables('HOST', 'PORT'),
});

if (url !== '' && !/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
  rejectOption(howToRun('health'), `--url must be an http or https URL, not '${url}'`);

const baseUrl = url === '' ? getLocalUrl(process.env) : url;
try {
  const response = await fetch(new URL('/ready', baseUrl), {
    signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
  });
  const text = (await response.text()).slice(0, 200);
  console.log(`${baseUrl} responded with ${response.status}: ${text}`);
  process.exitCode = response.ok ? 0 : 1;
} catch (error) {
  const { message, cause } = error as Error & { cause?: { code?: string } };
  console.error(`${baseUrl} does not respond: ${cause?.code ?? message}.`);
  process.exitCode = 1;
}

function getLocalUrl({ HOST = '', PORT = '' }: NodeJS.ProcessEnv): string {
  const host = WILDCARD_ADDRESSES.includes(HOST) ? '127.0.0.1' : HOST;
  return `http://${host.includes(':') ? `[${host}]` : host}:${PORT || 4242}`;
}
