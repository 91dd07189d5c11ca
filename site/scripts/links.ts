import { dirname, join, normalize } from 'node:path';
import type { Page } from './sources.ts';

export type Targets = {
  pages: ReadonlyMap<string, Page>;
  /** The path of a page on the site. */
  urlOf: (page: Page) => string;
  /** The path of a file that is copied to the site, or undefined if it is not. */
  fileUrl: (path: string) => string | undefined;
};

/** The Markdown with links to pages and files of the site. A link to anything else in the repository becomes plain text. */
export function rewriteLinks({ source, markdown }: Page, targets: Targets): string {
  return outsideOfCode(markdown, text =>
    text
      .replaceAll(/(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)/g, (whole, image, label, link) => {
        const url = urlOf(source, link, targets);
        if (url === undefined) return image ? '' : label;
        return url === link ? whole : `${image}[${label}](${url})`;
      })
      .replaceAll(/\b(src|srcset|href)="([^"]+)"/g, (whole, name, link) => {
        const url = urlOf(source, link, targets);
        return url === undefined ? whole : `${name}="${url}"`;
      }),
  );
}

function urlOf(source: string, link: string, { pages, urlOf: url, fileUrl }: Targets): string | undefined {
  if (/^[a-z]+:|^#|^\//.test(link)) return link;
  const [path = '', anchor] = link.split('#');
  const target = normalize(join(dirname(source), path));
  const page = pages.get(target);
  if (page) return url(page) + (anchor === undefined ? '' : `#${anchor}`);
  return fileUrl(target);
}

/** Changes the text between fenced code blocks. */
function outsideOfCode(markdown: string, change: (text: string) => string): string {
  return markdown
    .split(/^( *```[\s\S]*?^ *```[ \t]*$)/m)
    .map((part, n) => (n % 2 === 1 ? part : change(part)))
    .join('');
}
