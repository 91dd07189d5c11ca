/**
 * Returns the links for the npm page. They come from variables of GitHub Actions, because only the publishing workflow knows its
 * repository. npm rejects a package with provenance unless its manifest names that repository.
 */
export function buildRepositoryLinks({ GITHUB_SERVER_URL, GITHUB_REPOSITORY }: NodeJS.ProcessEnv): object {
  if (!GITHUB_SERVER_URL || !GITHUB_REPOSITORY) return {};
  const home = `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}`;
  return {
    homepage: `${home}#readme`,
    repository: { type: 'git', url: `git+${home}.git` },
    bugs: { url: `${home}/issues` },
  };
}
