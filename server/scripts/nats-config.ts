// Writes the NATS server configuration for the feeds: accounts, nkeys and, for a region, a leaf node with mirrors.

import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { busNames } from '@halyard/plane/feed/bus.ts';
import { feedKey, toFeed } from '@halyard/plane/feed/publisher.ts';
import type { Feed } from '@halyard/plane/snapshot/format.ts';
import { connect, nkeyAuthenticator, nkeys } from '@nats-io/transport-node';
import { readOptions, rejectOption, rejectUnused } from '../src/platform/command-line.ts';
import { type Db, openDb } from '../src/platform/db/database.ts';
import { howToRun } from '../src/platform/files.ts';
import { StartError } from '../src/platform/start-error.ts';
import { describeVariables } from '../src/platform/variables.ts';
import {
  buildHubConfig,
  buildLeafConfig,
  type FeedAccount,
  listMirrorConfigs,
  type Region,
} from '../src/publishing/nats/server-config.ts';
import { listTokens } from '../src/publishing/source/store.ts';
import { runOnMigrated } from './run.ts';

const REGION = /^[a-z0-9][a-z0-9-]{0,30}$/;
const LEAF_KEY = /^leaf-([a-z0-9-]+)\.nk$/;
const TIMEOUT_MS = 5_000;
const STREAM_EXISTS = 10_058;
const run = howToRun('nats-config');

const options = readOptions({
  run,
  does: `Writes the NATS server configuration for the feeds of all edge tokens: one account for each feed, and nkeys. Keys that
are already in the folder are kept, so run it again whenever you have created an edge token.`,
  options: {
    folder: { type: 'string', default: 'nats', meaning: 'Folder for the files' },
    region: {
      type: 'string',
      meaning: 'Also write leaf-<region>.conf, for a leaf node with mirrors of all streams',
    },
    hub: {
      type: 'string',
      meaning: 'URL at which the leaf node finds the hub, such as tls://nats.example.com:7422',
    },
    'create-mirrors': {
      type: 'string',
      meaning: 'URL of the leaf node: create the mirrors there, and write nothing',
    },
  },
  variables: describeVariables('DATABASE_URL'),
});
const { folder = 'nats', region, hub, 'create-mirrors': leafUrl } = options;
if (region !== undefined && (!REGION.test(region) || region === 'hub'))
  rejectOption(run, '--region must have lowercase letters, digits and hyphens, and must not be "hub"');
if (leafUrl !== undefined && region === undefined) rejectOption(run, '--create-mirrors requires --region');
if (region === undefined) rejectUnused(run, options, ['hub'], 'requires --region');
if (leafUrl !== undefined)
  rejectUnused(
    run,
    options,
    ['hub'],
    'is not used with --create-mirrors, which connects only to the leaf node',
  );
if (region !== undefined && hub === undefined && leafUrl === undefined)
  rejectOption(run, '--region requires --hub');

await runOnMigrated(process.env, async ({ databaseUrl }) => {
  const db = openDb({ url: databaseUrl, poolSize: 1, onError: error => console.warn(error.message) });
  try {
    const feeds = await listFeeds(db);
    if (leafUrl !== undefined) await createMirrors(leafUrl, readKey(`leaf-${region}`).seed, feeds);
    else writeFiles(feeds);
  } finally {
    await db.destroy();
  }
});

async function listFeeds(db: Db): Promise<Feed[]> {
  const { tokens } = await listTokens(db);
  const feeds = tokens
    .filter(({ type }) => type === 'edge')
    .map(({ environment, projects }) => toFeed({ environment, projects: projects ?? undefined }));
  if (feeds.length === 0)
    throw new StartError('There is no edge token, so there is no feed. Create one first.');
  return [...new Map(feeds.map(feed => [feedKey(feed), feed])).values()].toSorted((a, b) =>
    feedKey(a) < feedKey(b) ? -1 : 1,
  );
}

/** Reads an nkey from its file in the folder, or creates a new one. */
function readKey(name: string): { seed: string; user: string; path: string } {
  const path = resolve(folder, `${name}.nk`);
  if (!existsSync(path)) {
    const seed = new TextDecoder().decode(nkeys.createUser().getSeed());
    writeFileSync(path, `${seed}\n`, { mode: 0o600 });
  }
  const seed = readFileSync(path, 'utf8').trim();
  return { seed, user: nkeys.fromSeed(Buffer.from(seed)).getPublicKey(), path };
}

function writeFiles(feeds: Feed[]): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  const publisher = readKey('publisher');
  const accounts: FeedAccount[] = feeds.map(feed => ({
    feed,
    user: readKey(`edge-${busNames(feed).id}`).user,
  }));
  const regions: Region[] = [];
  if (region !== undefined && hub !== undefined) {
    const { user, seed } = readKey(`leaf-${region}`);
    regions.push({ name: region, hub, user, seed });
  }
  // The hub must keep accepting the leaf nodes of the other regions.
  const knownRegions = readdirSync(folder).flatMap(name => LEAF_KEY.exec(name)?.[1] ?? []);
  const leaves = knownRegions.toSorted().map(name => readKey(`leaf-${name}`));
  const files = [
    { name: 'hub.conf', text: buildHubConfig(publisher.user, accounts, leaves) },
    ...regions.map(leaf => ({ name: `leaf-${leaf.name}.conf`, text: buildLeafConfig(leaf, accounts) })),
  ];
  for (const { name, text } of files) {
    const path = join(folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    // An existing file keeps its mode when it is overwritten.
    chmodSync(path, 0o600);
    console.log(path);
  }
  for (const name of knownRegions.toSorted())
    if (name !== region)
      console.log(
        `${join(folder, `leaf-${name}.conf`)}: unchanged. If there is a new feed, run this again with --region ${name}`,
      );
  console.log(`${publisher.path}: HALYARD_NATS_NKEY_FILE of the servers`);
  for (const feed of feeds)
    console.log(
      `${readKey(`edge-${busNames(feed).id}`).path}: HALYARD_EDGE_NATS_NKEY_FILE of the edges of environment ${JSON.stringify(feed.environment)}, ${feed.projects === null ? 'all projects' : `projects ${feed.projects.join(', ')}`}`,
    );
}

async function createMirrors(url: string, seed: string, feeds: Feed[]): Promise<void> {
  const nc = await connect({
    servers: url,
    authenticator: nkeyAuthenticator(Buffer.from(seed)),
    timeout: TIMEOUT_MS,
    ...(url.startsWith('tls://') && { tls: {} }),
  });
  try {
    for (const config of listMirrorConfigs(feeds.map(feed => ({ feed })))) {
      const response = await nc.request(`$JS.API.STREAM.CREATE.${config.name}`, JSON.stringify(config), {
        timeout: TIMEOUT_MS,
      });
      const { error } = response.json<{ error?: { err_code?: number; description?: string } }>();
      if (error && error.err_code !== STREAM_EXISTS)
        throw new StartError(`The leaf node did not create ${config.name}: ${error.description}`);
      console.log(`${config.name}: ${error ? 'exists' : 'created'}`);
    }
  } finally {
    await nc.close();
  }
}
