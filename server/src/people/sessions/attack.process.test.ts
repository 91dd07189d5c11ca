import { afterAll, beforeAll, expect, test } from 'vitest';
import { campaignSize, GENERATED } from '../../test/campaign.ts';
import { makePerson, PASSWORD } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { type RunningServer, startProcess, stopProcess } from '../../test/process.ts';
import { call } from '../../test/request.ts';
import { LOGIN_LIMITS } from './limits.ts';

const ATTEMPTS = campaignSize({ usual: 300, long: 5_000 });
/** How the attack starts. More concurrency before the limits are reached would fill the queue of password hashes. */
const FIRST_PHASE = { attempts: 200, concurrency: 40 };
/** The concurrency while logins are blocked, when each response takes 300 ms without any work. */
const BLOCKED_CONCURRENCY = 200;

const harness = useHarness();
let servers: [RunningServer, RunningServer];

beforeAll(async () => {
  const env = {
    DATABASE_URL: harness.databaseUrl,
    LOG_LEVEL: 'fatal',
    // With the default pool size, the two servers would use most of PostgreSQL's 100 connections, which other tests need too.
    HALYARD_POOL_SIZE: '4',
    // The test is a trusted proxy and sets the IP address of each request.
    HALYARD_TRUSTED_PROXIES: '127.0.0.1',
  };
  servers = await Promise.all([startProcess(env), startProcess(env)]);
});
afterAll(async () => {
  for (const server of servers) await stopProcess(server);
});

async function logIn(server: RunningServer, username: string, password: string, address: string) {
  const response = await fetch(`${server.url}/auth/simple/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body: JSON.stringify({ username, password }),
  });
  await response.arrayBuffer();
  return { status: response.status, retryAfter: Number(response.headers.get('retry-after')) };
}

/** Sends wrong passwords to both servers in turn, concurrently, and counts the responses by status. */
async function attack(target: (number: number) => { username: string; address: string }) {
  const statuses: Record<number, number> = {};
  let nextNumber = 0;
  const sendUntil = async (endNumber: number) => {
    while (nextNumber < endNumber) {
      const number = nextNumber++;
      const { username, address } = target(number);
      const server = servers[number % 2] as RunningServer;
      let { status } = await logIn(server, username, 'wrong password', address);
      // A server that is busy with other logins does not count the failure.
      while (status === 503) ({ status } = await logIn(server, username, 'wrong password', address));
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: FIRST_PHASE.concurrency }, () => sendUntil(FIRST_PHASE.attempts)));
  await Promise.all(Array.from({ length: BLOCKED_CONCURRENCY }, () => sendUntil(ATTEMPTS)));
  return statuses;
}

const readBlockedEvents = async () =>
  (await call(harness.app, 'GET', '/api/admin/search/events?type=IS:login-blocked&limit=1000')).body.events;

test(
  `two servers together block ${ATTEMPTS} wrong logins to one account from as many IP addresses, while its owner can log in`,
  GENERATED,
  async () => {
    const { id, username } = await makePerson(harness.db);
    const home = '203.0.113.9';
    expect((await logIn(servers[0], username, PASSWORD, home)).status).toBe(200);

    const statuses = await attack(number => ({
      username,
      address: `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`,
    }));

    expect(statuses).toEqual({
      401: LOGIN_LIMITS.account.failures,
      429: ATTEMPTS - LOGIN_LIMITS.account.failures,
    });
    for (const server of servers) {
      expect((await logIn(server, username, PASSWORD, home)).status).toBe(200);
      // At an unknown IP address, even the correct password is blocked, because it could be the attacker's next guess.
      const unknownLogin = await logIn(server, username, PASSWORD, '203.0.113.10');
      expect(unknownLogin.status).toBe(429);
      expect(unknownLogin.retryAfter).toBeGreaterThan(3_000);
      expect(unknownLogin.retryAfter).toBeLessThanOrEqual(3_600);
    }
    const events = await readBlockedEvents();
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({
      createdBy: 'system',
      data: { countedBy: 'account', userId: id, username, failures: 100, minutes: 60 },
    });
  },
);

test(
  `two servers together block ${ATTEMPTS} wrong logins from one IP address to as many accounts, while others can log in`,
  GENERATED,
  async () => {
    const { username } = await makePerson(harness.db);
    const attacker = '198.51.100.7';
    const eventsBefore = (await readBlockedEvents()).length;

    const statuses = await attack(number => ({
      username: number % 100 === 0 ? username : `account-${number}`,
      address: attacker,
    }));

    expect(statuses).toEqual({
      401: LOGIN_LIMITS.address.failures,
      429: ATTEMPTS - LOGIN_LIMITS.address.failures,
    });
    for (const server of servers) {
      expect((await logIn(server, username, PASSWORD, attacker)).status).toBe(429);
      expect((await logIn(server, username, PASSWORD, '203.0.113.20')).status).toBe(200);
    }
    const events = await readBlockedEvents();
    expect(events).toHaveLength(eventsBefore + 1);
    expect(events[0]).toMatchObject({ data: { countedBy: 'address', address: attacker }, ip: attacker });
    expect(events[0].summary).toContain('after **20** failures within **15** minutes');
  },
);
