import { writeRecording } from '../../server/src/test/unleash/file.ts';
import { run, type Send } from '../../server/src/test/unleash/run.ts';
import { ADMIN_TOKEN, NEWEST, startUnleash } from './instance.ts';

// Records how Unleash responds: starts its npm package as a separate program with an empty database, and sends every request
// of server/src/test/unleash/requests/. The recording has statuses, field names and types, and no values.

const unleash = await startUnleash(NEWEST);
try {
  const recording = await run(send, ADMIN_TOKEN);
  writeRecording(recording);
  const cases = Object.values(recording).reduce((sum, one) => sum + Object.keys(one).length, 0);
  console.log(`Recorded ${cases} cases of ${Object.keys(recording).length} operations of Unleash ${NEWEST}`);
} finally {
  await unleash.stop();
}

async function send({ method, path, headers, body }: Parameters<Send>[0]): ReturnType<Send> {
  const response = await fetch(unleash.url + path, {
    method,
    headers: { ...headers, origin: unleash.url },
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
