// The Markdown files of the repository that become pages, and where each of them goes.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Pages outside docs/, by their path in the repository. */
const OUTSIDE: Record<string, string> = {
  'README.md': 'index',
  'SECURITY.md': 'project/security',
  'CHANGELOG.md': 'project/changelog',
  'ARCHITECTURE.md': 'project/architecture',
  'CONTRIBUTING.md': 'project/contributing',
  'STYLE.md': 'project/style',
  'bench/README.md': 'project/benchmarks',
};

export type Page = {
  /** Path of the source in the repository. */
  source: string;
  /** Path on the site, without leading and trailing slashes. */
  slug: string;
  title: string;
  markdown: string;
};

/** Every page by the path of its source. */
export function readPages(): Map<string, Page> {
  const pages = [...docs(), ...reports(), ...Object.entries(OUTSIDE)].map(
    ([source, slug]): [string, Page] => {
      const text = readFileSync(join(ROOT, source), 'utf8');
      const [, title = basename(source)] = /^# (.+)$/m.exec(text) ?? [];
      return [source, { source, slug, title, markdown: text.replace(/^# .+\n+/m, '') }];
    },
  );
  return new Map(pages);
}

const docs = (): [string, string][] =>
  markdownBelow('docs').map(path => [
    path,
    path === 'docs/README.md' ? 'contents' : path.replace(/^docs\//, '').replace(/\.md$/, ''),
  ]);

const reports = (): [string, string][] =>
  markdownBelow('bench/reports').map(path => [path, `project/${basename(path, '.md')}`]);

function markdownBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && entry.name.endsWith('.md'))
    .map(entry => relative(ROOT, join(entry.parentPath, entry.name)))
    .sort();
}
