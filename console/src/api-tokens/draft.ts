import type { NewApiToken } from './queries.ts';
import { endOfDay } from './words.ts';

export type Draft = {
  name: string;
  type: 'backend' | 'frontend';
  environment: string;
  /** The project ids. An empty list means all projects. */
  projects: string[];
  /** A day such as 2027-11-15. An empty string means that the token never expires. */
  expires: string;
};

export const emptyDraft: Draft = {
  name: '',
  type: 'backend',
  environment: 'development',
  projects: [],
  expires: '',
};

/** Builds the request body. A token that is created in a project is limited to that project. */
export const toBody = (
  { name, type, environment, projects, expires }: Draft,
  project: string | undefined,
): NewApiToken => ({
  tokenName: name.trim(),
  type,
  environment,
  projects: project === undefined ? (projects.length > 0 ? projects : ['*']) : [project],
  ...(expires && { expiresAt: endOfDay(expires) }),
});
