import { notFoundError, notLoggedInError, usageError } from './errors.ts';
import { type Profile, readProfiles } from './profiles.ts';

type Env = Record<string, string | undefined>;

export type Connection = { server: string; token: string; profile?: string };

const addScheme = (text: string): string => {
  if (text.includes('://')) return text;
  return /^(localhost|127\.|\[::1\])/.test(text) ? `http://${text}` : `https://${text}`;
};

/** Normalizes a server URL: without trailing slashes, so that paths can be appended, and without the `/api` that SDKs need. */
export function readServer(text: string): string {
  const url = URL.parse(addScheme(text));
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username || url.password)
    throw usageError(
      `${JSON.stringify(text)} is not the URL of a server, such as https://flags.example.com.`,
    );
  return `${url.origin}${url.pathname.replace(/\/+$/, '').replace(/\/api$/, '')}`;
}

/** Finds the profile with this name, or the current profile if there is no name. */
export function findProfile(env: Env, name = env.HALYARD_PROFILE): [string, Profile] | undefined {
  const { current, profiles } = readProfiles(env);
  const profile = profiles[name ?? current];
  if (!profile && name !== undefined && name !== '')
    throw notFoundError(
      `There is no profile ${JSON.stringify(name)}.`,
      `Run halyard login --profile ${/^[\w.-]+$/.test(name) ? name : '…'}, or halyard profile list.`,
    );
  return profile && [name ?? current, profile];
}

/** The longest token that a server accepts. */
const MAX_TOKEN_LENGTH = 512;

/** Checks the format of a token. An invalid value is never printed, because it may contain a valid token. */
export function readToken(text: string, source: string): string {
  if (text.includes('…'))
    throw usageError(
      `${source} contains "…", which stands for the secret in examples. Replace it with your token.`,
    );
  if (text.length > MAX_TOKEN_LENGTH || !/^[\x21-\x7e]+$/.test(text))
    throw usageError(
      `${source} is not a token: a token is one word of at most ${MAX_TOKEN_LENGTH} characters.`,
    );
  return text;
}

/** Says how to log in, naming only the variable that is missing. */
function loginHint(server: string | undefined, token: string | undefined): string {
  if (token !== undefined) return 'HALYARD_TOKEN is set. Set HALYARD_SERVER to the URL of the server too.';
  return server === undefined
    ? 'Run halyard login, or set HALYARD_SERVER and HALYARD_TOKEN.'
    : `Run halyard login --server ${server}, or set HALYARD_TOKEN.`;
}

/** Finds the server that a command uses, and its token. A profile's token is sent only to the profile's own server. */
export function findConnection(
  env: Env,
  options: { server?: string | undefined; profile?: string | undefined },
): Connection {
  const serverOption =
    options.server ?? (options.profile === undefined ? env.HALYARD_SERVER || undefined : undefined);
  const server = serverOption === undefined ? undefined : readServer(serverOption);
  const tokenVariable = options.profile === undefined ? env.HALYARD_TOKEN || undefined : undefined;
  const token = tokenVariable === undefined ? undefined : readToken(tokenVariable, 'HALYARD_TOKEN');
  if (server !== undefined && token !== undefined) return { server, token };
  const [name, profile] = findProfile(env, options.profile) ?? [];
  if (name === undefined || profile === undefined)
    throw notLoggedInError(
      server === undefined ? 'You are not logged in to a server.' : `You are not logged in to ${server}.`,
      loginHint(server, token),
    );
  if (server !== undefined && server !== profile.server)
    throw notLoggedInError(
      `The profile "${name}" has a token for ${profile.server}, not for ${server}.`,
      `Run halyard login --server ${server} --profile <name>, or set HALYARD_TOKEN.`,
    );
  return {
    server: profile.server,
    token: token ?? readToken(String(profile.token), `The token in the profile "${name}"`),
    profile: name,
  };
}
