import type { ScopeDraft } from '../token-scope/words.ts';
import type { Preview } from './queries.ts';

const isLoopback = (host: string): boolean => /^(127\.0\.0\.1|localhost|\[::1\])(:|$)/.test(host);

/** Who asks, and what speaks for it. */
export function originWords({ clientHost, redirectHost, ip, kind }: Preview): string {
  if (ip !== null)
    return `A command line at the IP address ${ip} shows this code. Continue only if you started it yourself, a moment ago.`;
  const isHere = redirectHost !== null && isLoopback(redirectHost);
  const target = isHere ? 'a program on this computer' : `the server ${redirectHost ?? ''}`;
  // Any program on the computer can open the page in the name of the command line.
  if (kind === 'personal')
    return `The token goes to ${target}. Continue only if you started a login in a terminal yourself, a moment ago.`;
  if (clientHost === null)
    return `Nobody confirms this name: the program chose it itself. The token goes to ${target}.`;
  // The host cannot know which program on the computer uses its name.
  return `${clientHost} vouches for this name. The token goes to ${target}${isHere ? ', which can be a different one. Continue only if you started it yourself' : ''}.`;
}

const list = (names: readonly string[]): string =>
  new Intl.ListFormat('en', { type: 'conjunction' }).format(names);

/** What the program can do then, in one or two sentences. */
export function consequences({
  access,
  projects,
  environments,
  maxChanges,
  maxProductionRollout,
}: ScopeDraft): string {
  if (access === 'all')
    return 'It can do whatever you can do, now and later, until the token expires or you delete it.';
  const where =
    projects.length > 0
      ? `in ${projects.length === 1 ? 'project' : 'projects'} ${list(projects)}`
      : 'in every project that you can read';
  if (access === 'read') return `It can read flags, events and settings ${where}. It cannot change anything.`;
  const limits = [
    ...(environments.length > 0 ? [`only in ${list(environments)}`] : []),
    ...(maxChanges !== '' ? [`at most ${maxChanges} times`] : []),
    ...(maxProductionRollout !== '' ? [`at most for ${maxProductionRollout} % of users in production`] : []),
  ];
  const how = limits.length > 0 ? `, ${limits.join(', ')}` : '';
  return `It can read flags, events and settings ${where}, and change flags there as you may${how}. It cannot create tokens, grant access or connect other systems.`;
}

/** A name for the token that none of the user's tokens has: the program's, with its host or with a number. */
export function freeName({ clientName, clientHost }: Preview, taken: readonly string[]): string {
  const name = clientHost === null ? clientName : `${clientName} (${clientHost})`;
  for (let number = 1; ; number++) {
    const one = number === 1 ? name : `${name} ${number}`;
    if (!taken.includes(one)) return one;
  }
}
