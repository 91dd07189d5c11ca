import { dirname, join, normalize } from 'node:path';
import type { Page } from './sources.ts';

export type Targets = {
  pages: ReadonlyMap<string, Page>;
  /** Returns the path of a page on the site. */
  getPageUrl: (page: Page) => string;
  /** Returns the path of a file on the site, or undefined if the file is not copied to the site. */
  findFileUrl: (path: string) => string | undefined;
};

/** Returns the Markdown with links to pages and files of the site. A link to anything else in the repository becomes plain text. */
export function rewriteLinks({ source, markdown }: Page, targets: Targets): string {
  return changeOutsideCode(markdown, text =>
    text
      .replaceAll(/(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)/g, (match, image, label, link) => {
        const url = resolveLink(source, link, targets);
        if (url === undefined) return image ? '' : label;
        return url === link ? match : `${image}[${label}](${url})`;
      })
      .replaceAll(/\b(src|srcset|href)="([^"]+)"/g, (match, name, link) => {
        const url = resolveLink(source, link, targets);
        return url === undefined ? match : `${name}="${url}"`;
      }),
  );
}

function resolveLink(
  source: string,
  link: string,
  { pages, getPageUrl, findFileUrl }: Targets,
): string | undefined {
  if (/^[a-z]+:|^#|^\//.test(link)) return link;
  const [path = '', anchor] = link.split('#');
  const target = normalize(join(dirname(source), path));
  const page = pages.get(target);
  if (page) return getPageUrl(page) + (anchor === undefined ? '' : `#${anchor}`);
  return findFileUrl(target);
}

/** Changes the text between fenced code blocks. */
function changeOutsideCode(markdown: string, change: (text: string) => string): string {
  return markdown
    .split(/^( *```[\s\S]*?^ *```[ \t]*$)/m)
    .map((part, n) => (n % 2 === 1 ? part : change(part)))
    .join('');
}
