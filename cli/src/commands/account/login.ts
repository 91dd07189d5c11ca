import { command } from '../../command.ts';
import { findProfile, readServer, readToken } from '../../connection.ts';
import type { Context } from '../../context.ts';
import { usageError } from '../../errors.ts';
import { sanitize } from '../../output.ts';
import { readProfiles, writeProfiles } from '../../profiles.ts';
import { makeSend, readResponseBody, requireSuccess } from '../../requests.ts';

/** Longer than any token with its line break. */
const MAX_INPUT_LENGTH = 1024;

export const login = command({
  name: 'login',
  brief: 'Log in to a server',
  description:
    'On a terminal, the command opens the browser, where you choose what it may do and for how long. On a machine without a browser, --device shows a code that you enter in a browser elsewhere. With --with-token, and without a terminal, the command takes a personal token or the token of a service account: it asks for it, or reads it from standard input, because everybody on the machine can see the arguments of a process. It checks the token and stores it in a profile that only you can read.',
  options: {
    device: { type: 'flag', brief: 'Show a code that you enter in a browser, on any machine' },
    withToken: { type: 'flag', brief: 'Ask for a token, or read it from standard input' },
    project: { type: 'string', value: 'id', short: 'p', brief: 'Project that commands use by default' },
    environment: {
      type: 'string',
      value: 'name',
      short: 'e',
      brief: 'Environment that commands use by default',
    },
  },
  calls: ['getMe'],
  output: {
    type: 'object',
    required: ['profile', 'server', 'user'],
    properties: { profile: { type: 'string' }, server: { type: 'string' }, user: { type: 'string' } },
  },
  examples: [
    { does: 'In the browser', run: 'login --server https://flags.example.com' },
    { does: 'On a machine without a browser', run: 'login --server https://flags.example.com --device' },
    { does: 'In a script', run: 'login --server https://flags.example.com < token.txt' },
    { does: 'To a second server', run: 'login --server https://flags.test.example.com --profile test' },
  ],
  run: async (context, _args, { device, withToken, project, environment }) => {
    const { env, sharedOptions } = context;
    const name = sharedOptions.profile ?? (env.HALYARD_PROFILE || undefined) ?? 'default';
    if (!/^[\w.-]{1,64}$/.test(name))
      throw usageError(
        `The profile name ${JSON.stringify(name)} is invalid. Use 1 to 64 letters, digits, dots, dashes and underscores.`,
      );
    const server = readServer(await findServer(context, name));
    if (server.startsWith('http:') && !/^http:\/\/(localhost|127\.|\[::1\])/.test(server))
      context.note(`Warning: ${server} is not encrypted, so others on the network can read your token.`);
    if (device && withToken) throw usageError('Use --device or --with-token, not both.');
    const isGranted = device || (!withToken && context.interactive);
    const token = await (isGranted ? requestToken(context, server, device) : readTokenInput(context, server));
    const send = makeSend({ connection: () => ({ server, token }), signal: context.signal });
    const response = await requireSuccess(await send('GET', '/api/admin/user'), server);
    const me = (await readResponseBody(response)) as
      | { user?: { name: string; username: string | null } }
      | undefined;
    if (!me?.user) throw usageError(`${server} is not a Halyard server.`, 'Check the URL.');
    const profiles = readProfiles(env);
    const previousProfile = profiles.profiles[name];
    const sameServerProfile = previousProfile?.server === server ? previousProfile : undefined;
    profiles.profiles[name] = {
      ...(sameServerProfile?.project !== undefined && { project: sameServerProfile.project }),
      ...(sameServerProfile?.environment !== undefined && { environment: sameServerProfile.environment }),
      server,
      token,
      ...(isGranted && { granted: true as const }),
      ...(project !== undefined && { project }),
      ...(environment !== undefined && { environment }),
    };
    writeProfiles(env, { ...profiles, current: name });
    return { profile: name, server, user: me.user.username ?? me.user.name };
  },
  text: ({ profile, server, user }) =>
    `Logged in to ${server} as ${sanitize(user)}. The token is stored in the profile "${profile}".`,
});

async function requestToken(context: Context, server: string, device: boolean): Promise<string> {
  // Loaded only here, because importing node:http doubles the CPU time at startup.
  const { logInWithBrowser, logInWithDevice } = await import('../../authorization.ts');
  return await (device ? logInWithDevice : logInWithBrowser)(context, server);
}

async function findServer({ env, sharedOptions, interactive }: Context, name: string): Promise<string> {
  const namedServer = sharedOptions.server ?? (env.HALYARD_SERVER || undefined);
  if (namedServer !== undefined) return namedServer;
  const profileServer =
    readProfiles(env).profiles[name]?.server ??
    findProfile({ ...env, HALYARD_PROFILE: undefined })?.[1].server;
  if (interactive)
    return await (await import('../../prompts.ts')).askForText(
      'URL of the server',
      profileServer ?? 'https://',
    );
  if (profileServer === undefined)
    throw usageError('No server was given.', 'Use --server, or set HALYARD_SERVER.');
  return profileServer;
}

async function readTokenInput(
  { interactive, stdin, note, signal }: Context,
  server: string,
): Promise<string> {
  if (interactive) {
    note(`Create a personal token at ${server}/profile`);
    return checkToken(await (await import('../../prompts.ts')).askForSecret('Token'));
  }
  if (stdin.isTTY)
    throw usageError(
      'This command cannot ask for the token here.',
      'Send it to standard input: halyard login < token.txt',
    );
  let text = '';
  stdin.setEncoding('utf8');
  for await (const chunk of stdin) {
    signal.throwIfAborted();
    text += chunk;
    if (text.length > MAX_INPUT_LENGTH) break;
  }
  return checkToken(text);
}

function checkToken(text: string): string {
  const token = text.trim();
  if (token === '')
    throw usageError(
      'No token was given.',
      'Send one to standard input: halyard login < token.txt. To log in with a browser, run halyard login on a terminal, or halyard login --device.',
    );
  return readToken(token, 'The input');
}
