import { busNames } from '@halyard/plane/feed/bus.ts';
import { expect, test } from 'vitest';
import { buildHubConfig, buildLeafConfig, listMirrorConfigs } from './server-config.ts';

const ALL = { environment: 'production', projects: null };
const FEEDS = [
  { feed: ALL, user: 'UEDGES' },
  { feed: { environment: 'production', projects: ['b', 'a'] }, user: 'UOTHERS' },
];
const REGION = { name: 'west', hub: 'tls://hub:7422', user: 'ULEAF', seed: 'SULEAF' };

const { id, framesStream } = busNames(ALL);

/** Returns the part of a configuration that describes the account of the feed. */
const findAccount = (text: string): string =>
  new RegExp(`FEED_${id}: \\{[\\s\\S]*?\\n  \\}`).exec(text)?.[0] ?? '';

test('the name of a feed does not depend on the order of its projects', () => {
  expect(busNames({ environment: 'production', projects: ['a', 'b'] })).toEqual(
    busNames({ environment: 'production', projects: ['b', 'a'] }),
  );
  expect(busNames({ environment: 'production', projects: ['a'] }).id).not.toBe(id);
});

test('an account imports only its own feed and can publish only requests', () => {
  const account = findAccount(buildHubConfig('UPUBLISHER', FEEDS, []));

  const subjects = [...account.matchAll(/"([^"]+)"/g)].map(([, subject]) => subject);
  expect(subjects.filter(subject => subject !== '_INBOX.>' && !subject?.includes(id))).toEqual([]);
  expect(account).toContain(
    `publish: ["$JS.API.DIRECT.GET.${framesStream}", "$JS.API.DIRECT.GET.HALYARD_${id}_SNAPSHOT"]`,
  );
  expect(account).toContain('nkey: UEDGES');
  expect(account).not.toContain('jetstream');
});

test("a leaf node mirrors the hub's streams, and both write messages to disk before acknowledging them", () => {
  const hub = buildHubConfig('UPUBLISHER', FEEDS, [REGION]);
  const leaf = buildLeafConfig(REGION, FEEDS);

  for (const text of [hub, leaf]) expect(text).toContain('sync_interval: always');
  expect(hub).toContain('users: [{ nkey: UPUBLISHER }, { nkey: ULEAF, permissions: {');
  expect(leaf).toContain('users: [{ nkey: ULEAF }]');
  expect(hub).toContain('leafnodes: { port: 7422 }');
  expect(leaf).toContain('domain: west');
  expect(leaf).toContain('remotes: [{ url: "tls://hub:7422", account: HALYARD, nkey: SULEAF }]');
  expect(findAccount(leaf)).toBe(findAccount(hub));
  expect(listMirrorConfigs(FEEDS)).toContainEqual(
    expect.objectContaining({
      name: framesStream,
      mirror: { name: framesStream, external: { api: '$JS.hub.API', deliver: '' } },
    }),
  );
});
