import { randomBytes } from 'node:crypto';
import { buildImport, makeToken, mustSend } from '../requests.ts';
import type { World } from './attacks.ts';

const ENVIRONMENT = 'development';
const PASSWORD = 'correct horse battery staple 77';
const FLAGS_PER_IMPORT = 1_000;

/** Creates accounts, tokens and flags through the API. */
export async function makeWorld(url: string, flags: number): Promise<World> {
  const post = async (path: string, body: object, authorization?: string) =>
    (await mustSend(url, 'POST', path, body, authorization)) as Record<string, unknown>;
  const postFromBrowser = async (path: string, body: object, headers: Record<string, string> = {}) =>
    await fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', ...headers },
      body: JSON.stringify(body),
    });
  const unique = randomBytes(4).toString('hex');
  const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
  const makeUser = async (name: string, rootRole: number, limits: object = {}): Promise<string> => {
    const username = `${name}-${unique}`;
    const email = `${username}@example.com`;
    await post('/api/admin/user-admin', { username, email, rootRole, password: PASSWORD });
    const login = await postFromBrowser('/auth/simple/login', { username, password: PASSWORD });
    const [cookie = ''] = (login.headers.get('set-cookie') ?? '').split(';');
    const token = { description: 'harm', expiresAt, ...limits };
    const response = await postFromBrowser('/api/admin/user/tokens', token, { cookie });
    return ((await response.json()) as { secret: string }).secret;
  };
  const tokenFor = (type: 'backend' | 'frontend', project: string) =>
    makeToken(url, type, ENVIRONMENT, [project]);
  await post('/api/admin/projects/default/features', { name: 'probed' });
  await post('/api/admin/projects/default/features/probed/environments/development/strategies', {
    name: 'default',
  });
  await post('/api/admin/projects', { id: 'big', name: 'Big' });
  for (let firstFlag = 0; firstFlag < flags; firstFlag += FLAGS_PER_IMPORT)
    await post(
      '/api/admin/features-batch/import',
      makeImport(firstFlag, Math.min(FLAGS_PER_IMPORT, flags - firstFlag)),
    );
  const frontend = await tokenFor('frontend', 'big');
  const evaluation = await post('/ofrep/v1/evaluate/flags', { context: {} }, frontend);
  const [stream] = evaluation.eventStreams as { endpoint: { requestUri: string } }[];
  const invitation = await post('/api/admin/invite-link/tokens', { name: 'harm', expiresAt });
  return {
    port: Number(new URL(url).port),
    attacker: {
      anonymous: '',
      viewer: await makeUser('attacker', 3),
      agent: await makeUser('agent', 2, {
        kind: 'agent',
        scope: { projects: ['default'], maxChanges: 1_000_000 },
      }),
      client: await tokenFor('backend', '*'),
      frontend,
    },
    other: {
      viewer: await makeUser('other', 3),
      editor: await makeUser('editor', 2),
      client: await tokenFor('backend', 'default'),
      frontend: await tokenFor('frontend', 'default'),
    },
    user: { username: `other-${unique}`, password: PASSWORD },
    invitation: String(invitation.secret),
    pageStream: stream?.endpoint.requestUri ?? '',
  };
}

function makeImport(firstFlag: number, count: number): object {
  const names = Array.from({ length: count }, (_, n) => `f${firstFlag + n}`);
  return buildImport('big', ENVIRONMENT, names, true, name => [
    {
      name: 'flexibleRollout',
      parameters: { rollout: '50', stickiness: 'userId', groupId: name },
      constraints: [{ contextName: 'userId', operator: 'NOT_IN', values: [`a${name}`, `b${name}`] }],
    },
  ]);
}
