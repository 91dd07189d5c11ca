/** Returns the path of a project's API tokens page. */
export const getTokensPath = (projectId: string): string =>
  `/projects/${encodeURIComponent(projectId)}/settings/tokens`;
