import { randomBytes } from 'node:crypto';
import type { World } from './attack.ts';

const PASSWORD = 'correct horse battery staple 77';
const FLAGS_PER_IMPORT = 1_000;

/** Creates accounts, tokens and flags through the API. */
export async function makeWorld(url: string, adminToken: string, flags: number): Promise<World> {
  const post = async (
    path: string,
    body: unknown,
    headers: Record<string, string> = { authorization: adminToken },
  ) => {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`);
    return {
      body: (await response.json().catch(() => ({}))) as Record<string, unknown>,
      headers: response.headers,
    };
  };
  const unique = randomBytes(4).toString('hex');
  const makeUser = async (name: string, rootRole: number): Promise<string> => {
    const username = `${name}-${unique}`;
    await post('/api/admin/user-admin', {
      username,
      email: `${username}@example.com`,
      rootRole,
      password: PASSWORD,
    });
    const login = await post('/auth/simple/login', { username, password: PASSWORD }, {});
    const [cookie = ''] = (login.headers.get('set-cookie') ?? '').split(';');
    const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
    const { body } = await post(
      '/api/admin/user/tokens',
      { description: 'harm', expiresAt },
      { cookie, 'sec-fetch-site': 'same-origin' },
    );
    return String(body.secret);
  };
  const makeToken = async (tokenName: string, type: string, project: string): Promise<string> => {
    const { body } = await post('/api/admin/api-tokens', {
      tokenName,
      type,
      environment: 'development',
      projects: [project],
    });
    return String(body.secret);
  };
  await post('/api/admin/projects/default/features', { name: 'probed' });
  await post('/api/admin/projects/default/features/probed/environments/development/strategies', {
    name: 'default',
  });
  await post('/api/admin/projects', { id: 'big', name: 'Big' });
  for (let first = 0; first < flags; first += FLAGS_PER_IMPORT)
    await post(
      '/api/admin/features-batch/import',
      importOf(first, Math.min(FLAGS_PER_IMPORT, flags - first)),
    );
  const frontend = await makeToken('attacker-frontend', 'frontend', 'big');
  const evaluated = await post('/ofrep/v1/evaluate/flags', { context: {} }, { authorization: frontend });
  const [stream] = evaluated.body.eventStreams as { endpoint: { requestUri: string } }[];
  const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
  const invitation = await post('/api/admin/invite-link/tokens', { name: 'harm', expiresAt });
  return {
    port: Number(new URL(url).port),
    attacker: {
      anonymous: '',
      viewer: await makeUser('attacker', 3),
      client: await makeToken('attacker-client', 'backend', '*'),
      frontend,
    },
    other: {
      viewer: await makeUser('other', 3),
      editor: await makeUser('editor', 2),
      client: await makeToken('other-client', 'backend', 'default'),
      frontend: await makeToken('other-frontend', 'frontend', 'default'),
    },
    user: { username: `other-${unique}`, password: PASSWORD },
    invitation: String(invitation.body.secret),
    pageStream: stream?.endpoint.requestUri ?? '',
  };
}

function importOf(first: number, count: number): object {
  const names = Array.from({ length: count }, (_, n) => `f${first + n}`);
  return {
    project: 'big',
    environment: 'development',
    data: {
      features: names.map(name => ({ name, description: `a flag named ${name}` })),
      featureStrategies: names.map(name => ({
        name: 'flexibleRollout',
        featureName: name,
        parameters: { rollout: '50', stickiness: 'userId', groupId: name },
        constraints: [{ contextName: 'userId', operator: 'NOT_IN', values: [`a${name}`, `b${name}`] }],
      })),
      featureEnvironments: names.map(name => ({
        featureName: name,
        environment: 'development',
        name: 'development',
        enabled: true,
      })),
    },
  };
}
