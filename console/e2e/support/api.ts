import { randomBytes } from 'node:crypto';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The admin API of a server, authenticated with the server's admin token. */
export type Api = {
  /** Sends a request and returns the body of the response. Throws an error unless the status is 2xx. */
  send: <T = unknown>(method: Method, path: string, body?: unknown) => Promise<T>;
};

export const createApi = ({ url, adminToken }: { url: string; adminToken: string }): Api => ({
  send: async <T>(method: Method, path: string, body?: unknown): Promise<T> => {
    const response = await fetch(url + path, {
      method,
      headers: {
        authorization: adminToken,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} responded with ${response.status}: ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  },
});

export const unique = (): string => randomBytes(4).toString('hex');

export type Person = { id: number; username: string; password: string };

export type NewPerson = {
  username?: string;
  name?: string;
  rootRole?: 'Admin' | 'Editor' | 'Viewer';
  /** The name of the user's role in each project, by project id. */
  projectRoles?: Record<string, string>;
};

/** Creates a user who can log in. */
export async function createPerson(
  api: Api,
  {
    username = `person-${unique()}`,
    name = username,
    rootRole = 'Viewer',
    projectRoles = {},
  }: NewPerson = {},
): Promise<Person> {
  const password = 'correct horse battery staple';
  const { id } = await api.send<{ id: number }>('POST', '/api/admin/user-admin', {
    username,
    name,
    password,
    rootRole,
    sendEmail: false,
  });
  const entries = Object.entries(projectRoles);
  if (entries.length > 0) {
    const { roles } = await api.send<{ roles: { id: number; name: string }[] }>('GET', '/api/admin/roles');
    for (const [project, roleName] of entries) {
      const role = roles.find(candidate => candidate.name === roleName);
      if (!role) throw new Error(`There is no role ${roleName}`);
      await api.send('PUT', `/api/admin/projects/${project}/users/${id}/roles`, { roles: [role.id] });
    }
  }
  return { id, username, password };
}

/** Creates a project with a unique id, so that tests on the shared server do not see each other's flags. */
export async function createProject(
  api: Api,
  fields: { name?: string; mode?: string } = {},
): Promise<string> {
  const id = `project-${unique()}`;
  await api.send('POST', '/api/admin/projects', { id, name: 'Payments', ...fields });
  return id;
}

export async function createFlag(
  api: Api,
  project: string,
  fields: { name?: string; type?: string; description?: string } = {},
): Promise<string> {
  const name = fields.name ?? `flag-${unique()}`;
  await api.send('POST', `/api/admin/projects/${project}/features`, { ...fields, name });
  return name;
}
