import type { ScopeDraft } from '../token-scope/words.ts';
import type { Preview } from './queries.ts';

const isLoopback = (host: string): boolean => /^(127\.0\.0\.1|localhost|\[::1\])(:|$)/.test(host);

/** Says where the token goes and who vouches for the client's name. */
export function describeOrigin({ clientHost, redirectHost, ip, kind }: Preview): string {
  if (ip !== null)
    return `The CLI at IP address ${ip} shows this code. Continue only if you started it yourself, a moment ago.`;
  const isOnThisComputer = redirectHost !== null && isLoopback(redirectHost);
  const target = isOnThisComputer ? 'a program on this computer' : `the server ${redirectHost ?? ''}`;
  // Does not mention the name, because any program on the computer can open the page under the CLI's name.
  if (kind === 'personal')
    return `The token goes to ${target}. Continue only if you started a login in a terminal yourself, a moment ago.`;
  if (clientHost === null)
    return `This name is unverified: the client chose it. The token goes to ${target}.`;
  // Warns about programs on this computer, because the host cannot know which program uses its name.
  return `${clientHost} vouches for this name. The token goes to ${target}${isOnThisComputer ? `, which may not be the one that ${clientHost} vouches for. Continue only if you started it yourself` : ''}.`;
}

const formatList = (names: readonly string[]): string =>
  new Intl.ListFormat('en', { type: 'conjunction' }).format(names);

/** Says what the client will be able to do, in one or two sentences. */
export function describeConsequences({
  access,
  projects,
  environments,
  maxChanges,
  maxProductionRollout,
}: ScopeDraft): string {
  if (access === 'all')
    return 'It can do whatever you can do, now and later, until the token expires or you delete it.';
  const scopeText =
    projects.length > 0
      ? `in ${projects.length === 1 ? 'project' : 'projects'} ${formatList(projects)}`
      : 'in every project that you can read';
  if (access === 'read')
    return `It can read flags, events and settings ${scopeText}. It cannot change anything.`;
  const limits = [
    ...(environments.length > 0 ? [`only in ${formatList(environments)}`] : []),
    ...(maxChanges !== '' ? [`at most ${maxChanges} times`] : []),
    ...(maxProductionRollout !== '' ? [`for at most ${maxProductionRollout} % of users in production`] : []),
  ];
  const limitsText = limits.length > 0 ? `, ${limits.join(', ')}` : '';
  return `It can read flags, events and settings ${scopeText}, and change flags there wherever you can${limitsText}. It cannot create tokens, grant access or connect other systems.`;
}

/** Proposes an unused token name, made of the client's name, its host and, if needed, a number. */
export function proposeName({ clientName, clientHost }: Preview, takenNames: readonly string[]): string {
  const name = clientHost === null ? clientName : `${clientName} (${clientHost})`;
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : `${name} ${number}`;
    if (!takenNames.includes(candidate)) return candidate;
  }
}
