/** The page with the API tokens of a project. */
export const tokensPathOf = (projectId: string): string =>
  `/projects/${encodeURIComponent(projectId)}/settings/tokens`;
