import { mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeSnapshot, type Snapshot } from '@halyard/plane/snapshot/format.ts';
import { deriveSigningKey } from '@halyard/plane/snapshot/keys.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openFolder } from './folder.ts';
import type { ObjectStore } from './object-store.ts';
import { prune, publish } from './publish.ts';

const KEY = deriveSigningKey(Buffer.alloc(32, 1));
const TRUST = { keys: new Map([[KEY.id, KEY.publicKey]]) };
const FEED = { environment: 'production', projects: null };
const LOG = { info: () => {}, warn: () => {}, error: () => {} };
const HOUR_S = 3_600;
let folder: string;
let store: ObjectStore;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'halyard-prune-'));
  store = await openFolder(folder, LOG);
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

const buildSnapshotBytes = async (fields: Partial<Snapshot>, key = KEY): Promise<Buffer> =>
  Buffer.concat(
    await encodeSnapshot(
      {
        feed: FEED,
        epoch: 'a',
        revision: 1,
        takenAt: new Date(0).toISOString(),
        completeSince: 0,
        origins: ['*'],
        tokenRevision: 1,
        tokens: [],
        endedTokens: [],
        features: [],
        segments: [],
        ...fields,
      },
      key,
    ),
  );
const timestamp = (seconds: number): string => new Date(seconds * 1_000).toISOString();
const put = async (fields: Partial<Snapshot>): Promise<string> =>
  (await publish(store, await buildSnapshotBytes(fields), FEED, TRUST, LOG)).outcome;

test('a body is kept for an hour after it was replaced, however old it is', async () => {
  const bodies = (): string[] => readdirSync(join(folder, 'bodies'));
  const writtenBodies: string[] = [];
  for (const [n, hoursAgo] of [9, 8, 3, 0].entries()) {
    await put({ revision: n, tokenRevision: n, takenAt: timestamp(n) });
    const [name = ''] = bodies().filter(body => !writtenBodies.includes(body));
    writtenBodies.push(name);
    const time = Date.now() / 1_000 - hoursAgo * HOUR_S;
    utimesSync(join(folder, 'bodies', name), time, time);
  }

  await prune(store, TRUST);

  // The third body was replaced just now.
  expect(bodies().toSorted()).toEqual(writtenBodies.slice(2).toSorted());
});

test('only a later snapshot replaces the published one', async () => {
  expect(await put({ revision: 5, takenAt: timestamp(100) })).toBe('published');
  expect(await put({ revision: 5, takenAt: timestamp(160) })).toBe('renewed');
  // A server that lags behind, a recorded snapshot, a snapshot from before a restore, and the same snapshot again.
  expect(await put({ revision: 4, takenAt: timestamp(170) })).toBe('kept');
  expect(await put({ revision: 6, takenAt: timestamp(150) })).toBe('kept');
  expect(await put({ epoch: 'b', revision: 9, takenAt: timestamp(150) })).toBe('kept');
  expect(await put({ revision: 5, takenAt: timestamp(160) })).toBe('kept');
  // A restored database.
  expect(await put({ epoch: 'b', revision: 2, tokenRevision: 2, takenAt: timestamp(180) })).toBe('published');
});

test('a header signed with an unknown key is not replaced, but a damaged header is', async () => {
  const headers = { contentType: '', cacheControl: '' };
  const foreignSnapshot = await buildSnapshotBytes(
    { takenAt: timestamp(3) },
    deriveSigningKey(Buffer.alloc(32, 2)),
  );
  await store.write('current', foreignSnapshot, headers);
  await expect(put({ takenAt: timestamp(4) })).rejects.toThrow('delete "current"');

  await store.write('current', Buffer.from('half a head'), headers);

  expect(await put({ takenAt: timestamp(4) })).toBe('published');
});
