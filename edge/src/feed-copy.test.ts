import { gunzipSync } from 'node:zlib';
import type { Frame } from '@halyard/plane/feed/frames.ts';
import { expect, test } from 'vitest';
import { makeFeedCopy } from './feed-copy.ts';
import { NO_DISK } from './feed-disk.ts';
import { buildFlagsFrame, buildSnapshot } from './test/hostile-upstream.ts';

const positionAt = (revision: number) => ({ epoch: 'a', revision, tokenRevision: 5 });
const frameTo = (rev: number) => buildFlagsFrame('flag', rev - 1, rev) as Frame;

/** Makes a copy with a snapshot at revision 5, and frames up to the given revision. */
const copyTo = async (last: number) => {
  const writtenTexts: string[] = [];
  const copy = makeFeedCopy({ ...NO_DISK, keepFrame: text => void writtenTexts.push(text) });
  await copy.keepSnapshot(Buffer.from('snapshot at 5'), buildSnapshot());
  for (let rev = 6; rev <= last; rev++) copy.keepFrame(`${rev}`, frameTo(rev));
  return { copy, written: writtenTexts };
};

test('returns the frames that a reader may lack, in order', async () => {
  const { copy } = await copyTo(8);
  const readTexts = (from?: ReturnType<typeof positionAt>): string[] => {
    const texts: string[] = [];
    for (
      let lastNumber = 0, frame = copy.next(lastNumber, from);
      frame;
      frame = copy.next(lastNumber, from)
    ) {
      texts.push(frame.text);
      lastNumber = frame.number;
    }
    return texts;
  };

  expect(readTexts()).toEqual(['6', '7', '8']);
  expect(readTexts(positionAt(7))).toEqual(['7', '8']);
  expect(readTexts({ ...positionAt(7), epoch: 'b' })).toEqual(['6', '7', '8']);
});

test('once there are more than 1,000 frames, an older snapshot replaces the frames before it', async () => {
  const { copy, written } = await copyTo(1_005);
  const older = buildSnapshot({ revision: 900 });
  expect(copy.isSnapshotDue()).toBe(false);
  // No snapshot is due yet, so none may replace frames.
  expect(copy.mayReplaceFrames(older)).toBe(false);
  // An outdated snapshot can be replaced earlier, because the key that signed it might soon be removed.
  expect(copy.mayReplaceFrames(older, true)).toBe(true);
  copy.keepFrame('1006', frameTo(1_006));

  expect(copy.isSnapshotDue()).toBe(true);
  expect(copy.isSnapshotDue()).toBe(false);
  expect(copy.mayReplaceFrames(buildSnapshot({ revision: 4 }))).toBe(false);
  expect(copy.mayReplaceFrames(buildSnapshot({ revision: 900, epoch: 'b' }))).toBe(false);
  expect(copy.mayReplaceFrames(older)).toBe(true);
  written.length = 0;
  await copy.keepSnapshot(Buffer.from('snapshot at 900'), older);

  expect(copy.next(0, undefined)?.text).toBe('901');
  expect([written[0], written.at(-1)]).toEqual(['901', '1006']);
  expect(copy.snapshot?.position.revision).toBe(900);
  expect(gunzipSync((await copy.snapshot?.gzip) ?? '').toString()).toBe('snapshot at 900');
});
