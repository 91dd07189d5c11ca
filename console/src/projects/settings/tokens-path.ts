/** Returns the path of the page with the API tokens of a project. */
export const getTokensPath = (projectId: string): string =>
  `/projects/${encodeURIComponent(projectId)}/settings/tokens`;
