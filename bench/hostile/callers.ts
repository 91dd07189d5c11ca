import type { NewStrategy } from '../../server/src/flags/feature-environments/schema.ts';
import { setStrategies } from '../../server/src/flags/feature-environments/set-strategies.ts';
import { toggleFeatures } from '../../server/src/flags/feature-environments/toggle.ts';
import { createFeature } from '../../server/src/flags/features/create.ts';
import { SYSTEM } from '../../server/src/platform/actor.ts';
import type { Db } from '../../server/src/platform/db/database.ts';
import { change } from '../../server/src/record/change.ts';
import { makeMember, makePerson, makeUser, PASSWORD } from '../../server/src/test/factories.ts';
import type { CallerName } from './requests.ts';

/** The headers by which each caller is known. */
export type Callers = Record<CallerName, Record<string, string>>;

/** Creates the callers. An admin of the campaign can delete any of them, so this is repeated during the run. */
export async function makeCallers(db: Db, url: string, adminToken: string): Promise<Callers> {
  await keepThings(db);
  // The failed logins of the campaign come from the same address as this one.
  await db.deleteFrom('login_failures').execute();
  const ask = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { authorization: adminToken, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${text}`);
    return { response, body: text === '' ? {} : JSON.parse(text) };
  };
  const unique = Math.random().toString(36).slice(2, 10);
  const viewer = await makeUser(db, 'Viewer');
  const editor = await makeUser(db, 'Editor');
  const member = await makeUser(db, 'Viewer');
  await makeMember(db, member, 'fuzzed', 'Member');
  const person = await makePerson(db, 'Admin');
  const login = await ask('/auth/simple/login', { username: person.username, password: PASSWORD });
  const sdk = await ask('/api/admin/api-tokens', {
    tokenName: `sdk-${unique}`,
    type: 'client',
    environment: 'development',
  });
  const page = await ask('/api/admin/api-tokens', {
    tokenName: `page-${unique}`,
    type: 'frontend',
    environment: 'development',
  });
  const account = await ask('/api/admin/service-account', {
    name: 'Service',
    username: `service-${unique}`,
    rootRole: 2,
  });
  const token = await ask(`/api/admin/service-account/${account.body.id}/token`, {
    description: 'hostile',
    expiresAt: new Date(Date.now() + 86_400_000).toISOString(),
  });
  return {
    nobody: {},
    sdk: { authorization: sdk.body.secret },
    page: { authorization: page.body.secret },
    viewer: { authorization: viewer.token },
    editor: { authorization: editor.token },
    member: { authorization: member.token },
    admin: { authorization: adminToken },
    session: {
      cookie: String(login.response.headers.get('set-cookie')).split(';')[0] ?? '',
      'sec-fetch-site': 'same-origin',
    },
    'service-account': { authorization: token.body.secret },
  };
}

/** The project and the feature that most requests name; some requests archive or delete them. */
async function keepThings(db: Db): Promise<void> {
  const project = { id: 'fuzzed', name: 'Fuzzed' };
  const { createProject } = await import('../../server/src/flags/projects/create.ts');
  const { archiveProject } = await import('../../server/src/flags/projects/archive.ts');
  await change(db, SYSTEM, current => createProject(current, project)).catch(() =>
    change(db, SYSTEM, current => archiveProject(current, 'fuzzed', false)),
  );
  await change(db, SYSTEM, current => createFeature(current, 'fuzzed', { name: 'fuzzed' })).catch(() => {});
  await change(db, SYSTEM, current => createFeature(current, 'fuzzed', { name: 'twisted' })).catch(() => {});
  await change(db, SYSTEM, current =>
    setStrategies(
      current,
      { project: 'fuzzed', featureName: 'twisted', environment: 'development' },
      TWISTED,
    ),
  ).catch(() => {});
  await change(db, SYSTEM, current =>
    toggleFeatures(current, 'fuzzed', 'development', ['fuzzed', 'twisted'], true),
  ).catch(() => {});
}

const constraint = (contextName: string, operator: string, values: string[] | string) => ({
  contextName,
  operator: operator as 'IN',
  ...(typeof values === 'string' ? { value: values } : { values }),
});

/** Strategies that compare a value of the context in every way. */
const TWISTED: NewStrategy[] = [
  constraint('userId', 'IN', ['7']),
  constraint('email', 'STR_ENDS_WITH', ['@example.com']),
  constraint('email', 'REGEX', '^(a+)+@(b|bb)+$'),
  constraint('remoteAddress', 'IN_CIDR', ['10.0.0.0/8', '2001:db8::/32']),
  constraint('age', 'NUM_GT', '17'),
  constraint('version', 'SEMVER_GT', '1.2.3'),
  constraint('currentTime', 'DATE_AFTER', '2026-01-01T00:00:00Z'),
].map(one => ({
  name: 'flexibleRollout',
  parameters: { rollout: '50', stickiness: 'default' },
  constraints: [one],
  variants: [{ name: 'a', weight: 1_000, weightType: 'variable' as const }],
}));
