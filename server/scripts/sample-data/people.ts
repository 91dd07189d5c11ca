import { randomBytes } from 'node:crypto';
import { checkNewUser, createUser } from '../../src/people/users/create.ts';
import { SYSTEM } from '../../src/platform/actor.ts';
import { openDb } from '../../src/platform/db/database.ts';
import { change } from '../../src/record/change.ts';
import { DAY, type Steps } from './steps.ts';

export type Send = <T = unknown>(method: string, path: string, body?: unknown) => Promise<T>;

/** A user, and a function that calls the API as this user. */
export type Person = { id: number; send: Send };

export type Login = { username: string; password: string; role: string };

export type People = Record<'ada' | 'ben' | 'dora' | 'emil', Person> & { logins: Login[] };

const NAMES = { ada: 'Ada Okafor', ben: 'Ben Lindqvist', dora: 'Dora Weiss', emil: 'Emil Sandoval' };
const ROLES = { ada: 'Admin', ben: 'Editor', dora: 'Editor', emil: 'Viewer' };

const makePassword = (): string => randomBytes(15).toString('base64url');

/** Creates Ada, the admin, who then creates the other users. */
export async function createPeople(
  steps: Steps,
  databaseUrl: string,
  url: string,
  days: number,
): Promise<People> {
  const logins = Object.entries(ROLES).map(([username, role]) => ({
    username,
    role,
    password: makePassword(),
  }));
  const passwords = Object.fromEntries(logins.map(({ username, password }) => [username, password]));

  // Not through the API, because there is no user yet who could create the first admin.
  const ada = await steps.runAt(days * DAY, async () => {
    const db = openDb({ url: databaseUrl, poolSize: 1, onError: () => {} });
    const password = passwords.ada ?? '';
    const user = await checkNewUser({
      username: 'ada',
      name: NAMES.ada,
      email: 'ada@example.com',
      password,
      rootRole: 'Admin',
    });
    const { id } = await change(db, SYSTEM, current => createUser(current, user));
    await db.destroy();
    return { id, send: await logIn(url, 'ada', password) };
  });

  const invite = async (username: 'ben' | 'dora' | 'emil', minutesAgo: number): Promise<Person> =>
    await steps.runAt(minutesAgo, async () => {
      const { id } = await ada.send<{ id: number }>('POST', '/api/admin/user-admin', {
        username,
        name: NAMES[username],
        email: `${username}@example.com`,
        password: passwords[username],
        rootRole: ROLES[username],
        sendEmail: false,
      });
      return { id, send: await logIn(url, username, passwords[username] ?? '') };
    });
  return {
    ada,
    ben: await invite('ben', days * DAY - 20),
    dora: await invite('dora', days * DAY - 24),
    emil: await invite('emil', days * DAY - 31),
    logins,
  };
}

/** Logs in, and returns a function that calls the API with the session, as the console does. */
async function logIn(url: string, username: string, password: string): Promise<Send> {
  const response = await fetch(`${url}/auth/simple/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password }),
  });
  if (!response.ok) throw new Error(`The login of ${username} failed: ${await response.text()}`);
  const cookie = response.headers
    .getSetCookie()
    .map(header => header.split(';')[0])
    .join('; ');
  return async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const apiResponse = await fetch(url + path, {
      method,
      headers: {
        cookie,
        'sec-fetch-site': 'same-origin',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await apiResponse.text();
    if (!apiResponse.ok)
      throw new Error(`${username}: ${method} ${path} responded with ${apiResponse.status}: ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  };
}
