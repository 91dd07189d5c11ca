import { defineRouteMiddleware, type StarlightRouteData } from '@astrojs/starlight/route-data';

type Entry = StarlightRouteData['sidebar'][number];
type Group = Extract<Entry, { type: 'group' }>;

/**
 * Lists a tag's operations only on that tag's pages. On all other pages, the tag is a single link, because 340 links to operations
 * would make up three quarters of each page.
 */
export const onRequest = defineRouteMiddleware(({ locals }) => {
  const route = locals.starlightRoute;
  route.sidebar = route.sidebar.map(entry => {
    if (entry.type === 'link' || entry.label !== 'Operations') return entry;
    const tag = [entry, ...entry.entries].find(isOverviewOpen);
    if (tag) setTitle(route, tag === entry ? 'Operations' : `${tag.label}: operations`);
    return { ...entry, entries: entry.entries.map(shortenTag) };
  });
});

function shortenTag(entry: Entry): Entry {
  if (entry.type === 'link' || entry.entries.some(isOpen)) return entry;
  const [overview] = entry.entries;
  return overview?.type === 'link' ? { ...overview, label: entry.label } : entry;
}

const isOpen = (entry: Entry): boolean => entry.type === 'link' && entry.isCurrent;

const isOverviewOpen = (entry: Entry): entry is Group =>
  entry.type === 'group' && entry.entries[0] !== undefined && isOpen(entry.entries[0]);

/** Replaces the title "Overview", which starlight-openapi gives to every tag. */
function setTitle(route: StarlightRouteData, title: string): void {
  route.entry.data.title = title;
  route.head = route.head.map(element =>
    element.tag === 'title' ? { ...element, content: `${title} | ${route.siteTitle}` } : element,
  );
}
