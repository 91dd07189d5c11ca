import starlight from '@astrojs/starlight';
import type { StarlightPlugin } from '@astrojs/starlight/types';
import { defineConfig, passthroughImageService } from 'astro/config';
import starlightLinksValidator from 'starlight-links-validator';
import starlightOpenAPI, { openAPISidebarGroups } from 'starlight-openapi';
import { readMap, type Section } from './scripts/map.ts';
import { readPages } from './scripts/sources.ts';

const base = process.env.SITE_BASE ?? '/';
/** A server serves the manual at /help/ without the API pages, because it already has them at /docs/. */
const withOperations = base !== '/help/';

const sidebar = readMap(readPages()).map(({ label, entries }) => ({
  label,
  collapsed: ['Reference', 'Work on Halyard'].includes(label),
  items: entries.map(buildItem),
}));

function buildItem(entry: Section['entries'][number]): object {
  if ('entries' in entry) return { label: entry.label, items: entry.entries.map(buildItem) };
  return { label: entry.label, slug: entry.page.slug };
}

/** Comes after starlight-openapi, which adds the operations to the sidebar. */
const shortenSidebar: StarlightPlugin = {
  name: 'shorten-sidebar',
  hooks: {
    'config:setup': ({ addRouteMiddleware }) =>
      addRouteMiddleware({ entrypoint: './src/sidebar.ts', order: 'post' }),
  },
};

export default defineConfig({
  base,
  outDir: withOperations ? 'dist/site' : 'dist/help',
  // sharp is not needed, because the documentation's pictures are already small.
  image: { service: passthroughImageService() },
  integrations: [
    starlight({
      title: 'Halyard',
      description: 'Feature flags with a complete record.',
      favicon: '/flag.svg',
      sidebar: [...sidebar, ...(withOperations ? openAPISidebarGroups : [])],
      customCss: ['./src/site.css'],
      components: { MarkdownContent: './src/components/MarkdownContent.astro' },
      pagination: false,
      // With Starlight's default of 0.1, weights have almost no effect, so a search for "get started" would not find the start page.
      pagefind: { ranking: { termFrequency: 1 } },
      plugins: [
        // Examples link to the reader's own server.
        starlightLinksValidator({ errorOnLocalLinks: false, exclude: ['/docs/openapi.json'] }),
        ...(withOperations
          ? [
              starlightOpenAPI([
                { base: 'api', schema: '../openapi.json', sidebar: { label: 'Operations', collapsed: true } },
              ]),
              shortenSidebar,
            ]
          : []),
      ],
    }),
  ],
});
