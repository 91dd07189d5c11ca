// Writes the site's pages from the repository's Markdown, to src/content/docs for Starlight and as Markdown to public/, with
// llms.txt as their index. The sources are never changed.
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rewriteLinks, type Targets } from './links.ts';
import { readMap } from './map.ts';
import { type Page, ROOT, readPages } from './sources.ts';

const SITE = fileURLToPath(new URL('../', import.meta.url));
const [CONTENT, PUBLIC] = [join(SITE, 'src/content/docs'), join(SITE, 'public')];
/** The path at which the site is served, which is `/`, `/0.1/` for a minor version, or `/help/` for a server's manual. */
const BASE = process.env.SITE_BASE ?? '/';

const pages = readPages();
rmSync(CONTENT, { recursive: true, force: true });
rmSync(PUBLIC, { recursive: true, force: true });

const write = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};

const findFileUrl = (path: string): string | undefined => {
  // The server serves the document for its own version.
  if (path === 'openapi.json' && BASE === '/help/') return '/docs/openapi.json';
  if (path !== 'openapi.json' && !/^docs\/images\//.test(path)) return undefined;
  if (!existsSync(join(ROOT, path))) throw new Error(`${path} does not exist.`);
  const name = path.replace(/^docs\//, '');
  cpSync(join(ROOT, path), join(PUBLIC, name));
  return BASE + name;
};

const siteTargets: Targets = {
  pages,
  getPageUrl: ({ slug }) => (slug === 'index' ? BASE : `${BASE}${slug}/`),
  findFileUrl,
};
const markdownTargets: Targets = { ...siteTargets, getPageUrl: ({ slug }) => `${BASE}${slug}.md` };

/** Turns the code blocks of diagrams into `<pre>` elements, because Mermaid draws the diagrams in the browser. */
const renderDiagrams = (markdown: string): string =>
  markdown.replaceAll(/^```mermaid\n([\s\S]*?)^```$/gm, (_, code) => {
    const text = code
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll(/\n{2,}/g, '\n')
      .trim();
    return `<pre class="mermaid">${text}</pre>`;
  });

/** Returns the first paragraph in one line, without links and formatting. */
const extractSummary = ({ markdown }: Page): string =>
  (markdown.split(/\n{2,}/).find(block => /^[A-Z"`[]/.test(block)) ?? '')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*_]/g, '')
    .replaceAll(/\s+/g, ' ')
    .slice(0, 160)
    .trim();

for (const page of pages.values()) {
  const frontMatter = {
    title: page.title,
    description: extractSummary(page),
    tableOfContents: { maxHeadingLevel: 3 },
    ...(page.slug === 'index' && {
      head: [{ tag: 'title', content: 'Halyard: feature flags that you host yourself' }],
    }),
  };
  const body = renderDiagrams(rewriteLinks(page, siteTargets));
  write(join(CONTENT, `${page.slug}.md`), `---\n${JSON.stringify(frontMatter)}\n---\n\n${body}`);
  write(join(PUBLIC, `${page.slug}.md`), `# ${page.title}\n\n${rewriteLinks(page, markdownTargets)}`);
}

const sections = readMap(pages).map(({ label, entries }) => {
  const allEntries = entries.flatMap(entry => ('entries' in entry ? entry.entries : [entry]));
  const lines = allEntries.map(
    ({ label: name, page }) => `- [${name}](${markdownTargets.getPageUrl(page)}): ${extractSummary(page)}`,
  );
  return `## ${label}\n\n${lines.join('\n')}\n`;
});
write(
  join(PUBLIC, 'llms.txt'),
  `# Halyard\n\n> Halyard is an open-source feature-flag server that speaks the Unleash admin API and SDK protocol. Each page of this site exists as Markdown: replace the slash at the end of its URL with \`.md\`.\n\n${sections.join('\n')}`,
);
cpSync(join(ROOT, 'console/public/flag.svg'), join(PUBLIC, 'flag.svg'));
console.log(`Wrote ${pages.size} pages.`);
