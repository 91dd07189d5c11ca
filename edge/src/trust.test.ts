import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { announcementOf } from '../../plane/src/feed/announcement.ts';
import { publicKeyText } from '../../plane/src/feed/enrolment.ts';
import { signed } from '../../plane/src/feed/signed.ts';
import { signingKeyOf } from '../../plane/src/snapshot/keys.ts';
import { openTrust } from './trust.ts';

const [a, b, c] = [1, 2, 3].map(byte => signingKeyOf(Buffer.alloc(32, byte)));
if (!a || !b || !c) throw new Error('unreachable');
const SILENT = { info: () => {}, warn: () => {}, error: () => {} };
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'halyard-trust-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const open = () => openTrust([publicKeyText(a)], folder, SILENT);
const ids = (keys: ReadonlyMap<string, unknown>) => [...keys.keys()];

test('the old key announces the new one, the new one removes the old one, and a restart changes nothing', async () => {
  const trust = await open();
  expect(await trust.take(announcementOf(a, undefined))).toBe(false);
  expect(
    [announcementOf(a, undefined), announcementOf(b, a), announcementOf(b, c)].map(trust.isNews),
  ).toEqual([false, true, false]);

  expect(await trust.take(announcementOf(b, a))).toBe(true);
  expect(trust.isNews(announcementOf(b, a))).toBe(false);
  expect(ids(trust.keys)).toEqual([b.id, a.id]);
  // A server that was not restarted yet.
  expect(await trust.take(announcementOf(a, undefined))).toBe(false);

  expect(await trust.take(announcementOf(b, undefined))).toBe(true);
  expect(ids(trust.keys)).toEqual([b.id]);
  // A server that still has both, or what somebody recorded.
  expect(await trust.take(announcementOf(b, a))).toBe(false);
  expect(await trust.take(announcementOf(c, a))).toBe(false);
  expect(ids(trust.keys)).toEqual([b.id]);

  expect(ids((await open()).keys)).toEqual([b.id]);
  expect(trust.announcements).toContain(announcementOf(b, a));
  expect(trust.announcements.at(-1)).toBe(announcementOf(c, a));
});

test('an announcement must be signed, complete and short', async () => {
  const warnings: string[] = [];
  const log = { ...SILENT, warn: (_fields: object, message: string) => void warnings.push(message) };
  const trust = await openTrust([publicKeyText(a)], folder, log);
  const genuine = announcementOf(b, a);
  const [line = ''] = genuine.split('\n');

  const keys = [publicKeyText(b)];
  for (const text of [
    `${line}\n${a.id} AAAA`,
    line,
    signed({ v: 1, log: 'keys', keys: [] }, a),
    signed({ v: 1, log: 'keys', keys: ['x'] }, a),
    signed({ v: 2, log: 'keys', keys }, a),
    signed({ v: 1, log: 'keys', keys, more: 'x'.repeat(3_000) }, a),
    signed({ v: 1, log: 'keys', keys }, c),
  ])
    expect(await trust.take(text)).toBe(false);
  expect(ids(trust.keys)).toEqual([a.id]);
  // Once, however many there are.
  expect(warnings).toEqual(['announced keys ignored']);
  await trust.take(genuine);
  expect(JSON.parse(readFileSync(join(folder, 'keys.json'), 'utf8'))).toEqual([genuine]);
});
