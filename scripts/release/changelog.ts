const UNRELEASED = /^## Unreleased\n([\s\S]*?)(?=^## |(?![\s\S]))/m;

/** Returns the changes since the last release, or an empty string if there is no section for them. */
export const readUnreleasedChanges = (changelog: string): string =>
  UNRELEASED.exec(changelog)?.[1]?.trim() ?? '';

/** Adds the version and date to the changes, and starts a new section above them. */
export const addRelease = (changelog: string, version: string, date: string): string =>
  changelog.replace('## Unreleased\n', `## Unreleased\n\n## ${version} (${date})\n`);
