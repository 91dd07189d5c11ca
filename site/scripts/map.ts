// Reads docs/README.md, the map of the documentation, which determines the sidebar and llms.txt.
import { dirname, join, normalize } from 'node:path';
import type { Page } from './sources.ts';

export type Entry = { label: string; page: Page };
export type Section = { label: string; entries: (Entry | { label: string; entries: Entry[] })[] };

const MAP = 'docs/README.md';

/** Reads the sections of the map with the pages that they link to. A list item with several pages after a colon becomes a group. */
export function readMap(pages: ReadonlyMap<string, Page>): Section[] {
  const { markdown = '' } = pages.get(MAP) ?? {};
  return markdown
    .split(/^## /m)
    .slice(1)
    .map(part => {
      const [label = '', ...lines] = part.split('\n');
      const items = lines.join('\n').split(/^ *- /m).slice(1);
      return { label, entries: items.flatMap(item => parseEntries(item, pages)) };
    })
    .filter(({ entries }) => entries.length > 0);
}

function parseEntries(item: string, pages: ReadonlyMap<string, Page>): Section['entries'] {
  const text = item.replaceAll(/\s+/g, ' ');
  const entries = parseLinks(text, pages);
  const [, group] = /^([A-Z][A-Za-z ]+): \[/.exec(text) ?? [];
  return group ? [{ label: group, entries }] : entries;
}

const parseLinks = (text: string, pages: ReadonlyMap<string, Page>): Entry[] =>
  [...text.matchAll(/\[([^\]]+)\]\(([^)#]+)\)/g)].flatMap(([, label = '', link = '']) => {
    const page = pages.get(normalize(join(dirname(MAP), link)));
    return page ? [{ label: label.charAt(0).toUpperCase() + label.slice(1), page }] : [];
  });
