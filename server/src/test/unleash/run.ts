import { setTimeout as sleep } from 'node:timers/promises';
import { REQUESTS } from './requests/all.ts';
import type { Caller, Request, Step, Until } from './requests/step.ts';
import { type Shape, shapeOf } from './shape.ts';

/** The response to a request. Errors have no shape, because all of Halyard's errors have the same one. */
export type Recorded = { status: number; shape?: Shape };

/** The cases of each operation by name. */
export type Recording = Record<string, Record<string, Recorded>>;

/** One request over HTTP or without a network. */
export type Send = (request: {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
}) => Promise<{ status: number; cookie: string | undefined; body: unknown }>;

type Case = Step & { name: string };

type Variables = Record<string, unknown>;

/** Sends every request in order and returns what each case got. `flush` writes what SDKs reported, if the server does not do so itself. */
export async function run(send: Send, adminToken: string, flush = async () => {}): Promise<Recording> {
  const recording: Recording = {};
  const variables: Variables = { adminToken };
  let count = 0;
  for (const request of REQUESTS) {
    if ('until' in request) {
      await flush();
      await until(request.until, send, variables);
      continue;
    }
    for (const { name, ...step } of casesOf(request)) {
      count += 1;
      variables.unique = `u${count}`;
      for (const given of request.given ?? []) await perform(send, given, variables);
      const { status, body } = await perform(send, step, variables);
      if (request.isSetup) {
        if (status >= 400) throw new Error(`${step.operation} is needed by others, and got ${status}`);
        continue;
      }
      if (status === 429) throw new Error(`${step.operation} (${name}) got 429. Raise the rate limit.`);
      const cases = recording[step.operation] ?? {};
      recording[step.operation] = cases;
      if (cases[name]) throw new Error(`${step.operation} has two cases with the name "${name}"`);
      cases[name] = status < 400 ? { status, shape: shapeOf(body) } : { status };
    }
  }
  return recording;
}

/** Servers publish flags and write metrics in the background. */
async function until({ step, has }: Until['until'], send: Send, variables: Variables): Promise<void> {
  for (let tries = 0; tries < 400; tries += 1) {
    const { body } = await perform(send, step, variables);
    if (JSON.stringify(body)?.includes(has)) return;
    await sleep(500);
  }
  throw new Error(`${step.operation} never got "${has}"`);
}

async function perform(
  send: Send,
  { operation, params = {}, query = '', body, as = 'admin', keep = {} }: Step,
  variables: Variables,
): Promise<{ status: number; body: unknown }> {
  const [method = '', template = ''] = operation.split(' ');
  const path = template.replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(String(filled(params[name] ?? '', variables))),
  );
  const response = await send({
    method,
    path: path + String(filled(query, variables)),
    headers: {
      ...credentials(as, variables),
      ...(method === 'GET' ? {} : { 'content-type': 'application/json' }),
    },
    body: body === undefined ? undefined : JSON.stringify(filled(body, variables)),
  });
  for (const [name, place] of Object.entries(keep)) {
    const found = place === 'cookie' ? response.cookie : valueAt(response.body, place);
    if (found !== undefined) variables[name] = found;
  }
  return response;
}

function credentials(as: Caller, variables: Variables): Record<string, string> {
  if (as === 'nobody') return {};
  if (as === 'admin') return { authorization: String(variables.adminToken) };
  if (as === 'backend' || as === 'frontend') return { authorization: String(variables[`${as}Token`]) };
  return { cookie: String(variables[`${as}Cookie`]), 'sec-fetch-site': 'same-origin' };
}

const valueAt = (body: unknown, place: string): unknown =>
  place
    .split('.')
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], body);

/** Replaces {name} with a variable. A string that consists of nothing else becomes the value itself, such as a number. */
function filled(value: unknown, variables: Variables): unknown {
  if (typeof value === 'string') {
    const whole = /^\{(\w+)\}$/.exec(value)?.[1];
    if (whole !== undefined) return variables[whole] ?? `missing-${whole}`;
    return value.replace(/\{(\w+)\}/g, (_, name: string) => String(variables[name] ?? `missing-${name}`));
  }
  if (Array.isArray(value)) return value.map(item => filled(item, variables));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filled(item, variables)]));
}

const UNKNOWN_UUID = '6c1c8f2e-3b0f-4a0e-9a57-0d9b4a9f1a55';

/** The rejections and omissions of a request, and the request itself at the end, because it may change what the others need. */
function casesOf({ name = 'success', isSetup, given: _, only = false, skip = [], ...step }: Request): Case[] {
  if (isSetup || only) return [{ ...step, name }];
  const { params = {}, body, as = 'admin', keep: __, ...rest } = step;
  const others = { ...rest, params, body, as };
  const isWrite = !step.operation.startsWith('GET');
  const fields =
    typeof body === 'object' && body !== null && !Array.isArray(body) ? Object.entries(body) : [];
  const cases: Case[] = [
    ...(as === 'nobody' ? [] : [{ ...others, as: 'nobody' as const, name: 'no token' }]),
    ...(as === 'admin' && isWrite ? [{ ...others, as: 'viewer' as const, name: 'no permission' }] : []),
    ...Object.entries(params).map(([param, value]) => ({
      ...others,
      params: { ...params, [param]: unknown(param, value) },
      name: `unknown ${param}`,
    })),
    ...fields.flatMap(([field, value]) => [
      { ...others, body: { ...(body as object), [field]: wrong(value) }, name: `wrong type of ${field}` },
      {
        ...others,
        body: Object.fromEntries(fields.filter(([other]) => other !== field)),
        name: `without ${field}`,
      },
    ]),
    { ...step, name },
  ];
  return cases.filter(one => !skip.includes(one.name));
}

function unknown(param: string, value: string): string {
  if (param === 'strategyId') return UNKNOWN_UUID;
  return param === 'id' && value.startsWith('{') ? '999999' : 'unknown-one';
}

const wrong = (value: unknown): unknown =>
  typeof value === 'string' ? { not: 'a string' } : Array.isArray(value) ? 7 : 'something else';
