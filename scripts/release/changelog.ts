const UNRELEASED = /^## Unreleased\n([\s\S]*?)(?=^## |(?![\s\S]))/m;

/** The changes since the last release. Empty if there is no such section. */
export const unreleasedChanges = (changelog: string): string => UNRELEASED.exec(changelog)?.[1]?.trim() ?? '';

/** Gives the changes their version and date, above which the next changes begin. */
export const withRelease = (changelog: string, version: string, date: string): string =>
  changelog.replace('## Unreleased\n', `## Unreleased\n\n## ${version} (${date})\n`);
