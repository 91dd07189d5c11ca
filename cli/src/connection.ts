import { notFound, notLoggedIn, wrongUse } from './errors.ts';
import { type Profile, readProfiles } from './profiles.ts';

type Env = Record<string, string | undefined>;

export type Connection = { server: string; token: string; profile?: string };

const withScheme = (text: string): string => {
  if (text.includes('://')) return text;
  return /^(localhost|127\.|\[::1\])/.test(text) ? `http://${text}` : `https://${text}`;
};

/** The URL without a trailing path, so that paths can be appended. */
export function readServer(text: string): string {
  const url = URL.parse(withScheme(text));
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username || url.password)
    throw wrongUse(`${JSON.stringify(text)} is not the URL of a server, such as https://flags.example.com.`);
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/** The profile of this name, or the current one, or none. */
export function chosenProfile(env: Env, name = env.HALYARD_PROFILE): [string, Profile] | undefined {
  const { current, profiles } = readProfiles(env);
  const profile = profiles[name ?? current];
  if (!profile && name !== undefined && name !== '')
    throw notFound(
      `There is no profile ${JSON.stringify(name)}.`,
      `Run halyard login --profile ${/^[\w.-]+$/.test(name) ? name : '…'}, or halyard profile list.`,
    );
  return profile && [name ?? current, profile];
}

/** The longest token that a server accepts. */
const MAX_TOKEN_LENGTH = 512;

/** An invalid value is never printed, because it may contain a valid token. */
export function readToken(text: string, where: string): string {
  if (text.length > MAX_TOKEN_LENGTH || !/^[\x21-\x7e]+$/.test(text))
    throw wrongUse(`${where} is not a token: a token is one word of at most ${MAX_TOKEN_LENGTH} characters.`);
  return text;
}

/** The server that a command uses, and the token for it. A profile's token is sent only to that profile's server. */
export function findConnection(
  env: Env,
  options: { server?: string | undefined; profile?: string | undefined },
): Connection {
  const given =
    options.server ?? (options.profile === undefined ? env.HALYARD_SERVER || undefined : undefined);
  const server = given === undefined ? undefined : readServer(given);
  const own = options.profile === undefined ? env.HALYARD_TOKEN || undefined : undefined;
  const token = own === undefined ? undefined : readToken(own, 'HALYARD_TOKEN');
  if (server !== undefined && token !== undefined) return { server, token };
  const [name, profile] = chosenProfile(env, options.profile) ?? [];
  if (name === undefined || profile === undefined)
    throw notLoggedIn(
      server === undefined ? 'You are not logged in to a server.' : `You are not logged in to ${server}.`,
      'Run halyard login, or set HALYARD_SERVER and HALYARD_TOKEN.',
    );
  if (server !== undefined && server !== profile.server)
    throw notLoggedIn(
      `The profile "${name}" has a token for ${profile.server}, not for ${server}.`,
      `Run halyard login --server ${server} --profile <name>, or set HALYARD_TOKEN.`,
    );
  return {
    server: profile.server,
    token: token ?? readToken(String(profile.token), `The token in the profile "${name}"`),
    profile: name,
  };
}
