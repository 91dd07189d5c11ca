import { writeRecording } from '../../server/src/test/unleash/file.ts';
import { run, type Send } from '../../server/src/test/unleash/run.ts';
import { ADMIN_TOKEN, NEWEST_VERSION, startUnleash } from './instance.ts';

// Records how Unleash responds to every request in server/src/test/unleash/requests/. Unleash's npm package runs as a separate
// process with an empty database. The recording has statuses, field names and types, but no values.

const instance = await startUnleash(NEWEST_VERSION);
try {
  const recording = await run(send, ADMIN_TOKEN);
  writeRecording(recording);
  const cases = Object.values(recording).reduce(
    (sum, operationCases) => sum + Object.keys(operationCases).length,
    0,
  );
  console.log(
    `Recorded ${cases} cases of ${Object.keys(recording).length} operations of Unleash ${NEWEST_VERSION}`,
  );
} finally {
  await instance.stop();
}

async function send({ method, path, headers, body }: Parameters<Send>[0]): ReturnType<Send> {
  const response = await fetch(instance.url + path, {
    method,
    // Unleash may close an idle connection just when the next request is sent on it.
    headers: { ...headers, origin: instance.url, connection: 'close' },
    redirect: 'manual',
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  const [cookie] = response.headers.getSetCookie();
  return {
    status: response.status,
    cookie: cookie?.split(';')[0],
    body: text === '' ? undefined : isJson ? JSON.parse(text) : text,
  };
}
