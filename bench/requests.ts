import { ADMIN_TOKEN } from './server.ts';

const TIMEOUT_MS = 60_000;

export type Response = {
  /** 0 if there was no response. */
  status: number;
  text: string;
  retryAfter: string | null;
  sentAt: number;
  error?: Error;
};

/** Sends one request, by default as an admin. */
export async function send(
  server: string,
  method: string,
  path: string,
  body?: object,
  authorization = ADMIN_TOKEN,
): Promise<Response> {
  const sentAt = performance.now();
  try {
    const response = await fetch(`${server}${path}`, {
      method,
      headers: { authorization, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const retryAfter = response.headers.get('retry-after');
    return { status: response.status, text: await response.text(), retryAfter, sentAt };
  } catch (error) {
    return { status: 0, text: String(error), retryAfter: null, sentAt, error: error as Error };
  }
}

/** Sends a request that prepares a benchmark, and throws unless it succeeds. */
export async function mustSend(...request: Parameters<typeof send>): Promise<unknown> {
  const { status, text } = await send(...request);
  if (status < 200 || status >= 300) throw new Error(`${request[1]} ${request[2]}: ${status} ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}

/** Creates an SDK token and returns its secret. */
export async function makeToken(
  server: string,
  type: 'backend' | 'frontend',
  environment: string,
  projects?: string[],
): Promise<string> {
  const body = { tokenName: `bench ${type}`, type, environment, ...(projects && { projects }) };
  return ((await mustSend(server, 'POST', '/api/admin/api-tokens', body)) as { secret: string }).secret;
}

/** Builds the body that imports flags into a project, with each flag's strategies in one environment. */
export function buildImport(
  project: string,
  environment: string,
  names: string[],
  enabled: boolean,
  buildStrategies: (name: string) => object[],
): object {
  return {
    project,
    environment,
    data: {
      features: names.map(name => ({ name, type: 'release', description: `${name}, ${Date.now()}` })),
      featureStrategies: names.flatMap(featureName =>
        buildStrategies(featureName).map(strategy => ({ featureName, ...strategy })),
      ),
      featureEnvironments: names.map(name => ({
        featureName: name,
        name: environment,
        environment,
        enabled,
      })),
    },
  };
}
