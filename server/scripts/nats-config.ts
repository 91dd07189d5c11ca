// Writes what NATS servers need to know about the feeds: accounts and nkeys.

import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { nkeys } from '@nats-io/transport-node';
import { busNames } from '../../plane/src/feed/bus.ts';
import { feedKey, feedOf } from '../../plane/src/feed/publisher.ts';
import type { Feed } from '../../plane/src/snapshot/format.ts';
import { readOptions } from '../src/platform/command-line.ts';
import { type Db, openDb } from '../src/platform/db/database.ts';
import { howToRun } from '../src/platform/files.ts';
import { StartError } from '../src/platform/start-error.ts';
import { describeVariables } from '../src/platform/variables.ts';
import { type FeedAccount, natsConfig } from '../src/publishing/nats/server-config.ts';
import { listTokens } from '../src/publishing/source/store.ts';
import { runScript } from './run.ts';

const { folder = 'nats' } = readOptions({
  run: howToRun('nats-config'),
  does: `Writes the configuration of NATS servers for the feeds of all edge tokens: one account for each feed, and nkeys. Keys that
the folder has already are kept, so run it again after you created an edge token.`,
  options: {
    folder: { type: 'string', default: 'nats', meaning: 'Where the files are written' },
  },
  variables: describeVariables('DATABASE_URL'),
});
await runScript(process.env, async ({ databaseUrl }) => {
  const db = openDb({ url: databaseUrl, poolSize: 1, onError: error => console.warn(error.message) });
  try {
    write(await listFeeds(db));
  } finally {
    await db.destroy();
  }
});

async function listFeeds(db: Db): Promise<Feed[]> {
  const { tokens } = await listTokens(db);
  const feeds = tokens
    .filter(({ type }) => type === 'edge')
    .map(({ environment, projects }) => feedOf({ environment, projects: projects ?? undefined }));
  if (feeds.length === 0)
    throw new StartError('There is no edge token, so there is no feed. Create one first.');
  return [...new Map(feeds.map(feed => [feedKey(feed), feed])).values()].toSorted((a, b) =>
    feedKey(a) < feedKey(b) ? -1 : 1,
  );
}

/** The nkey in a file of the folder, or a new one. */
function keyIn(name: string): { seed: string; user: string; path: string } {
  const path = resolve(folder, `${name}.nk`);
  if (!existsSync(path)) {
    const seed = new TextDecoder().decode(nkeys.createUser().getSeed());
    writeFileSync(path, `${seed}\n`, { mode: 0o600 });
  }
  const seed = readFileSync(path, 'utf8').trim();
  return { seed, user: nkeys.fromSeed(Buffer.from(seed)).getPublicKey(), path };
}

function write(feeds: Feed[]): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  const publisher = keyIn('publisher');
  const accounts: FeedAccount[] = feeds.map(feed => ({
    feed,
    user: keyIn(`edge-${busNames(feed).id}`).user,
  }));
  const path = join(folder, 'feeds.conf');
  writeFileSync(path, natsConfig(publisher.user, accounts), { mode: 0o600 });
  console.log(path);
  console.log(`${publisher.path}: HALYARD_NATS_NKEY_FILE of the servers`);
  for (const feed of feeds)
    console.log(
      `${keyIn(`edge-${busNames(feed).id}`).path}: HALYARD_EDGE_NATS_NKEY_FILE of the edges of environment ${JSON.stringify(feed.environment)}, ${feed.projects === null ? 'all projects' : `projects ${feed.projects.join(', ')}`}`,
    );
}
