// Writes the pages of the site from the Markdown of the repository: src/content/docs for Starlight, and the same pages as
// Markdown in public/, with llms.txt as their index. The sources are never changed.
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rewriteLinks, type Targets } from './links.ts';
import { readMap } from './map.ts';
import { type Page, ROOT, readPages } from './sources.ts';

const SITE = fileURLToPath(new URL('../', import.meta.url));
const [CONTENT, PUBLIC] = [join(SITE, 'src/content/docs'), join(SITE, 'public')];
/** Where the site is served: `/` or `/help/`. */
const BASE = process.env.SITE_BASE ?? '/';

const pages = readPages();
rmSync(CONTENT, { recursive: true, force: true });
rmSync(PUBLIC, { recursive: true, force: true });

const write = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};

const fileUrl = (path: string): string | undefined => {
  // The server has the document for its version.
  if (path === 'openapi.json' && BASE !== '/') return '/docs/openapi.json';
  if (path !== 'openapi.json' && !/^docs\/images\//.test(path)) return undefined;
  if (!existsSync(join(ROOT, path))) throw new Error(`${path} does not exist.`);
  const name = path.replace(/^docs\//, '');
  cpSync(join(ROOT, path), join(PUBLIC, name));
  return BASE + name;
};

const onSite: Targets = {
  pages,
  urlOf: ({ slug }) => (slug === 'index' ? BASE : `${BASE}${slug}/`),
  fileUrl,
};
const asMarkdown: Targets = { ...onSite, urlOf: ({ slug }) => `${BASE}${slug}.md` };

/** Mermaid draws in the browser, so its code is not highlighted like other code. */
const withDiagrams = (markdown: string): string =>
  markdown.replaceAll(/^```mermaid\n([\s\S]*?)^```$/gm, (_, code) => {
    const text = code
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll(/\n{2,}/g, '\n')
      .trim();
    return `<pre class="mermaid">${text}</pre>`;
  });

/** The first paragraph in one line, without links and formatting. */
const summaryOf = ({ markdown }: Page): string =>
  (markdown.split(/\n{2,}/).find(block => /^[A-Z"`[]/.test(block)) ?? '')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*_]/g, '')
    .replaceAll(/\s+/g, ' ')
    .slice(0, 160)
    .trim();

for (const page of pages.values()) {
  const front = { title: page.title, description: summaryOf(page), tableOfContents: { maxHeadingLevel: 3 } };
  const body = withDiagrams(rewriteLinks(page, onSite));
  write(join(CONTENT, `${page.slug}.md`), `---\n${JSON.stringify(front)}\n---\n\n${body}`);
  write(join(PUBLIC, `${page.slug}.md`), `# ${page.title}\n\n${rewriteLinks(page, asMarkdown)}`);
}

const sections = readMap(pages).map(({ label, entries }) => {
  const flat = entries.flatMap(entry => ('entries' in entry ? entry.entries : [entry]));
  const lines = flat.map(
    ({ label: name, page }) => `- [${name}](${asMarkdown.urlOf(page)}): ${summaryOf(page)}`,
  );
  return `## ${label}\n\n${lines.join('\n')}\n`;
});
write(
  join(PUBLIC, 'llms.txt'),
  `# Halyard\n\n> Halyard is an open-source feature-flag server that speaks the Unleash admin API and SDK protocol. Each page of this site exists as Markdown: replace the slash at the end of its URL with \`.md\`.\n\n${sections.join('\n')}`,
);
console.log(`Wrote ${pages.size} pages.`);
