import { setTimeout as sleep } from 'node:timers/promises';
import { REQUESTS } from './requests/all.ts';
import type { Caller, Request, Step, Until } from './requests/step.ts';
import { type Shape, toShape } from './shape.ts';

/** The response to a request. Errors have no shape, because all of Halyard's errors have the same shape. */
export type RecordedResponse = { status: number; shape?: Shape };

/** The cases of each operation by name. */
export type Recording = Record<string, Record<string, RecordedResponse>>;

/** Sends one request over HTTP or without a network. */
export type Send = (request: {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
}) => Promise<{ status: number; cookie: string | undefined; body: unknown }>;

type Case = Step & { name: string };

type Variables = Record<string, unknown>;

/** Sends every request in order and returns the response to each case. `flush` writes SDK reports if the server does not. */
export async function run(send: Send, adminToken: string, flush = async () => {}): Promise<Recording> {
  const recording: Recording = {};
  const variables: Variables = { adminToken };
  let count = 0;
  for (const request of REQUESTS) {
    if ('until' in request) {
      await flush();
      await waitUntil(request.until, send, variables);
      continue;
    }
    for (const { name, ...step } of listCases(request)) {
      count += 1;
      variables.unique = `u${count}`;
      for (const setupStep of request.setupSteps ?? []) await perform(send, setupStep, variables);
      const { status, body } = await perform(send, step, variables);
      if (request.isSetup) {
        if (status >= 400)
          throw new Error(`Later requests depend on ${step.operation}, which returned ${status}`);
        continue;
      }
      if (status === 429) throw new Error(`${step.operation} (${name}) returned 429. Raise the rate limit.`);
      const cases = recording[step.operation] ?? {};
      recording[step.operation] = cases;
      if (cases[name]) throw new Error(`${step.operation} has two cases with the name "${name}"`);
      cases[name] = status < 400 ? { status, shape: toShape(body) } : { status };
    }
  }
  return recording;
}

/** Repeats a step until its response contains the text, because servers publish flags and write metrics in the background. */
async function waitUntil(
  { step, contains }: Until['until'],
  send: Send,
  variables: Variables,
): Promise<void> {
  for (let tries = 0; tries < 400; tries += 1) {
    const { body } = await perform(send, step, variables);
    if (JSON.stringify(body)?.includes(contains)) return;
    await sleep(500);
  }
  throw new Error(`The response of ${step.operation} never contained "${contains}"`);
}

async function perform(
  send: Send,
  { operation, params = {}, query = '', body, as = 'admin', keep = {} }: Step,
  variables: Variables,
): Promise<{ status: number; body: unknown }> {
  const [method = '', template = ''] = operation.split(' ');
  const path = template.replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(String(fillVariables(params[name] ?? '', variables))),
  );
  const response = await send({
    method,
    path: path + String(fillVariables(query, variables)),
    headers: {
      ...buildCredentials(as, variables),
      ...(method === 'GET' ? {} : { 'content-type': 'application/json' }),
    },
    body: body === undefined ? undefined : JSON.stringify(fillVariables(body, variables)),
  });
  for (const [name, valuePath] of Object.entries(keep)) {
    const savedValue = valuePath === 'cookie' ? response.cookie : readValueAt(response.body, valuePath);
    if (savedValue !== undefined) variables[name] = savedValue;
  }
  return response;
}

function buildCredentials(as: Caller, variables: Variables): Record<string, string> {
  if (as === 'nobody') return {};
  if (as === 'admin') return { authorization: String(variables.adminToken) };
  if (as === 'backend' || as === 'frontend') return { authorization: String(variables[`${as}Token`]) };
  return { cookie: String(variables[`${as}Cookie`]), 'sec-fetch-site': 'same-origin' };
}

const readValueAt = (body: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], body);

/** Replaces {name} with a variable. A string that consists of nothing else becomes the value itself, such as a number. */
function fillVariables(value: unknown, variables: Variables): unknown {
  if (typeof value === 'string') {
    const variableName = /^\{(\w+)\}$/.exec(value)?.[1];
    if (variableName !== undefined) return variables[variableName] ?? `missing-${variableName}`;
    return value.replace(/\{(\w+)\}/g, (_, name: string) => String(variables[name] ?? `missing-${name}`));
  }
  if (Array.isArray(value)) return value.map(item => fillVariables(item, variables));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, fillVariables(item, variables)]),
  );
}

const UNKNOWN_UUID = '6c1c8f2e-3b0f-4a0e-9a57-0d9b4a9f1a55';

/**
 * Returns the cases of a request: first rejections and omitted fields, and last the request itself, because it may change data that
 * the other cases need.
 */
function listCases({
  name = 'success',
  isSetup,
  setupSteps: _,
  only = false,
  skip = [],
  ...step
}: Request): Case[] {
  if (isSetup || only) return [{ ...step, name }];
  const { params = {}, body, as = 'admin', keep: __, ...rest } = step;
  const base = { ...rest, params, body, as };
  const isWrite = !step.operation.startsWith('GET');
  const fields =
    typeof body === 'object' && body !== null && !Array.isArray(body) ? Object.entries(body) : [];
  const cases: Case[] = [
    ...(as === 'nobody' ? [] : [{ ...base, as: 'nobody' as const, name: 'no token' }]),
    ...(as === 'admin' && isWrite ? [{ ...base, as: 'viewer' as const, name: 'no permission' }] : []),
    ...Object.entries(params).map(([param, value]) => ({
      ...base,
      params: { ...params, [param]: getUnknownValue(param, value) },
      name: `unknown ${param}`,
    })),
    ...fields.flatMap(([field, value]) => [
      { ...base, body: { ...(body as object), [field]: toWrongType(value) }, name: `wrong type of ${field}` },
      {
        ...base,
        body: Object.fromEntries(fields.filter(([other]) => other !== field)),
        name: `without ${field}`,
      },
    ]),
    { ...step, name },
  ];
  return cases.filter(testCase => !skip.includes(testCase.name));
}

function getUnknownValue(param: string, value: string): string {
  if (param === 'strategyId') return UNKNOWN_UUID;
  return param === 'id' && value.startsWith('{') ? '999999' : 'unknown-one';
}

const toWrongType = (value: unknown): unknown =>
  typeof value === 'string' ? { not: 'a string' } : Array.isArray(value) ? 7 : 'something else';
