import { type ApiResponse, call } from '../request.ts';
import { flags } from './flags.ts';
import { instance, integrations } from './integrations.ts';
import { peopleAndAccess, signIn } from './people.ts';
import type { Method, Options, RecordedBodies, Recorder, World } from './recorder.ts';
import { apiTokens, sdks } from './sdks.ts';
import { vocabulary } from './vocabulary.ts';

/**
 * Calls every operation that returns a body, as a team might, and records the responses. The sample data from setup-data.ts
 * already exists: ada is the admin, and ben owns the project payments.
 */
export async function recordResponses(world: World): Promise<RecordedBodies> {
  const recordedBodies: RecordedBodies = {};
  const ada = world.people.find(({ username }) => username === 'ada');
  const send = async (method: Method, url: string, body?: unknown, options: Options = {}) => {
    const response = await call(world.harness.app, method, url, {
      token: String(ada?.token),
      ...(body === undefined ? {} : { body }),
      ...options,
    });
    if (response.status >= 300)
      throw new Error(`${method} ${url}: ${response.status} ${JSON.stringify(response.body)}`);
    return response;
  };
  const record = async (
    operation: string,
    method: Method,
    url: string,
    body?: unknown,
    options?: Options,
  ): Promise<ApiResponse['body']> => {
    const response = await send(method, url, body, options);
    recordedBodies[`${operation} ${response.status}`] = response.body;
    return response.body;
  };
  const recorder: Recorder = { ...world, send, record };
  await vocabulary(recorder);
  await flags(recorder);
  await peopleAndAccess(recorder);
  await signIn(recorder);
  const tokens = await apiTokens(recorder);
  await sdks(recorder, tokens);
  await integrations(recorder);
  await instance(recorder);
  return recordedBodies;
}
