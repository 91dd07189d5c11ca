import type { Candidate } from './owner-queries.ts';

export const getCandidateLabel = ({ type, name, login }: Candidate): string => {
  if (type === 'group') return `${name} (group)`;
  return login && login !== name ? `${name} (${login})` : name;
};

/** Returns the owner's name, with the login if a different owner has the same name. */
export const getOwnerLabel = (owner: Candidate, owners: readonly Candidate[]): string =>
  owners.filter(({ name }) => name === owner.name).length > 1 ? getCandidateLabel(owner) : owner.name;
