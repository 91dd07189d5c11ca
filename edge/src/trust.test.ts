import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signAnnouncement } from '@halyard/plane/feed/announcement.ts';
import { publicKeyText } from '@halyard/plane/feed/enrolment.ts';
import { signJson } from '@halyard/plane/feed/signed.ts';
import { deriveSigningKey } from '@halyard/plane/snapshot/keys.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openTrust } from './trust.ts';

const [a, b, c] = [1, 2, 3].map(byte => deriveSigningKey(Buffer.alloc(32, byte)));
if (!a || !b || !c) throw new Error('unreachable');
const SILENT = { info: () => {}, warn: () => {}, error: () => {} };
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'halyard-trust-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const openTestTrust = () => openTrust([publicKeyText(a)], folder, SILENT);
const ids = (keys: ReadonlyMap<string, unknown>) => [...keys.keys()];

test('the old key announces the new key, the new key removes the old key, and a restart changes nothing', async () => {
  const trust = await openTestTrust();
  expect(await trust.take(signAnnouncement(a, undefined))).toBe(false);
  expect(
    [signAnnouncement(a, undefined), signAnnouncement(b, a), signAnnouncement(b, c)].map(trust.changesKeys),
  ).toEqual([false, true, false]);

  expect(await trust.take(signAnnouncement(b, a))).toBe(true);
  expect(trust.changesKeys(signAnnouncement(b, a))).toBe(false);
  expect(ids(trust.keys)).toEqual([b.id, a.id]);
  // A server that has not been restarted yet.
  expect(await trust.take(signAnnouncement(a, undefined))).toBe(false);

  expect(await trust.take(signAnnouncement(b, undefined))).toBe(true);
  expect(ids(trust.keys)).toEqual([b.id]);
  // A server that still has both keys, or a replayed announcement.
  expect(await trust.take(signAnnouncement(b, a))).toBe(false);
  expect(await trust.take(signAnnouncement(c, a))).toBe(false);
  expect(ids(trust.keys)).toEqual([b.id]);

  expect(ids((await openTestTrust()).keys)).toEqual([b.id]);
  expect(trust.announcements).toContain(signAnnouncement(b, a));
  expect(trust.announcements.at(-1)).toBe(signAnnouncement(c, a));
});

test('an announcement must be signed, complete and short', async () => {
  const warnings: string[] = [];
  const log = { ...SILENT, warn: (_fields: object, message: string) => void warnings.push(message) };
  const trust = await openTrust([publicKeyText(a)], folder, log);
  const genuine = signAnnouncement(b, a);
  const [line = ''] = genuine.split('\n');

  const keys = [publicKeyText(b)];
  for (const text of [
    `${line}\n${a.id} AAAA`,
    line,
    signJson({ v: 1, log: 'keys', keys: [] }, a),
    signJson({ v: 1, log: 'keys', keys: ['x'] }, a),
    signJson({ v: 2, log: 'keys', keys }, a),
    signJson({ v: 1, log: 'keys', keys, more: 'x'.repeat(3_000) }, a),
    signJson({ v: 1, log: 'keys', keys }, c),
  ])
    expect(await trust.take(text)).toBe(false);
  expect(ids(trust.keys)).toEqual([a.id]);
  // The warning is logged once, no matter how many announcements arrive.
  expect(warnings).toEqual(['announced keys ignored']);
  await trust.take(genuine);
  expect(JSON.parse(readFileSync(join(folder, 'keys.json'), 'utf8'))).toEqual([genuine]);
});
