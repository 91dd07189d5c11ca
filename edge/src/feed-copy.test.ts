import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { Frame } from '../../plane/src/feed/frames.ts';
import { makeFeedCopy } from './feed-copy.ts';
import { NO_DISK } from './feed-disk.ts';
import { flagsOf, snapshotOf } from './test/hostile-upstream.ts';

const positionAt = (revision: number) => ({ epoch: 'a', revision, tokenRevision: 5 });
const frameTo = (rev: number) => flagsOf('flag', rev - 1, rev) as Frame;

/** Frames from the snapshot's revision, which is 5, up to this one. */
const copyTo = async (last: number) => {
  const written: string[] = [];
  const copy = makeFeedCopy({ ...NO_DISK, keepFrame: text => void written.push(text) });
  await copy.keepSnapshot(Buffer.from('snapshot at 5'), snapshotOf());
  for (let rev = 6; rev <= last; rev++) copy.keepFrame(`${rev}`, frameTo(rev));
  return { copy, written };
};

test('a reader gets what it lacks, in order', async () => {
  const { copy } = await copyTo(8);
  const read = (from?: ReturnType<typeof positionAt>): string[] => {
    const texts: string[] = [];
    for (let sent = 0, next = copy.next(sent, from); next; next = copy.next(sent, from)) {
      texts.push(next.text);
      sent = next.number;
    }
    return texts;
  };

  expect(read()).toEqual(['6', '7', '8']);
  expect(read(positionAt(7))).toEqual(['7', '8']);
  expect(read({ ...positionAt(7), epoch: 'b' })).toEqual(['6', '7', '8']);
});

test('a snapshot that is older than the frames replaces those before it, once there are many', async () => {
  const { copy, written } = await copyTo(1_005);
  const older = snapshotOf({ revision: 900 });
  expect(copy.isLong()).toBe(false);
  // Few frames are kept as they are.
  expect(copy.includes(older)).toBe(false);
  // The key that signed the snapshot may be removed.
  expect(copy.includes(older, true)).toBe(true);
  copy.keepFrame('1006', frameTo(1_006));

  expect(copy.isLong()).toBe(true);
  expect(copy.isLong()).toBe(false);
  expect(copy.includes(snapshotOf({ revision: 4 }))).toBe(false);
  expect(copy.includes(snapshotOf({ revision: 900, epoch: 'b' }))).toBe(false);
  expect(copy.includes(older)).toBe(true);
  written.length = 0;
  await copy.keepSnapshot(Buffer.from('snapshot at 900'), older);

  expect(copy.next(0, undefined)?.text).toBe('901');
  expect([written[0], written.at(-1)]).toEqual(['901', '1006']);
  expect(copy.snapshot?.position.revision).toBe(900);
  expect(gunzipSync((await copy.snapshot?.gzip) ?? '').toString()).toBe('snapshot at 900');
});
