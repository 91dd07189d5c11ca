// Reads the Markdown files of the repository that become pages, and decides where each page goes.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The slugs of pages outside docs/, by path in the repository. */
const SLUGS_OUTSIDE_DOCS: Record<string, string> = {
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

/** Reads every page, by the path of its source. */
export function readPages(): Map<string, Page> {
  const pages = [...listDocs(), ...listReports(), ...Object.entries(SLUGS_OUTSIDE_DOCS)].map(
    ([source, slug]): [string, Page] => {
      const text = readFileSync(join(ROOT, source), 'utf8');
      const [, title = basename(source)] = /^# (.+)$/m.exec(text) ?? [];
      return [source, { source, slug, title, markdown: text.replace(/^# .+\n+/m, '') }];
    },
  );
  return new Map(pages);
}

const listDocs = (): [string, string][] =>
  listMarkdown('docs').map(path => [
    path,
    path === 'docs/README.md' ? 'contents' : path.replace(/^docs\//, '').replace(/\.md$/, ''),
  ]);

const listReports = (): [string, string][] =>
  listMarkdown('bench/reports').map(path => [path, `project/${basename(path, '.md')}`]);

function listMarkdown(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && entry.name.endsWith('.md'))
    .map(entry => relative(ROOT, join(entry.parentPath, entry.name)))
    .sort();
}
