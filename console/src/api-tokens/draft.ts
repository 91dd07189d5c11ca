import type { NewApiToken } from './queries.ts';
import { endOfDay } from './words.ts';

export type Draft = {
  name: string;
  type: 'backend' | 'frontend';
  environment: string;
  /** None means all projects. */
  projects: string[];
  /** A day such as 2027-11-15. Empty: never. */
  expires: string;
};

export const emptyDraft: Draft = {
  name: '',
  type: 'backend',
  environment: 'development',
  projects: [],
  expires: '',
};

/** The body of the request. In a project the token is for that project only. */
export const bodyOf = (
  { name, type, environment, projects, expires }: Draft,
  project: string | undefined,
): NewApiToken => ({
  tokenName: name.trim(),
  type,
  environment,
  projects: project === undefined ? (projects.length > 0 ? projects : ['*']) : [project],
  ...(expires && { expiresAt: endOfDay(expires) }),
});
