import { sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { decodeSnapshot, encodeSnapshot, type Snapshot } from './format.ts';
import { deriveSigningKey } from './keys.ts';

const PAGE = readFileSync(new URL('../../../docs/reference/snapshot.md', import.meta.url), 'utf8');
const [, VECTOR = ''] = /```text\n([\s\S]*?)\n```/.exec(PAGE) ?? [];
const KEY = deriveSigningKey(Buffer.alloc(32, 1));
const KEYS = new Map([[KEY.id, KEY.publicKey]]);

const SNAPSHOT: Snapshot = {
  feed: { environment: 'production', projects: ['default'] },
  epoch: '3a51bb2522',
  revision: 7,
  takenAt: '2026-11-18T05:38:52.388Z',
  completeSince: 2,
  origins: ['*'],
  tokenRevision: 3,
  tokens: [
    {
      id: 2,
      hash: 'de3374cc9a5d1e8acd13d8a98d885d4643b057c5a833a6736c909eea019a9a96',
      type: 'backend',
      environment: 'production',
      projects: null,
      expiresAt: null,
    },
  ],
  endedTokens: ['62de23ca0a0614fa1b041fea996a75578bd85925a1a8aa79ddb738dfcbefdb8e'],
  features: [
    {
      project: 'default',
      name: 'checkout',
      revision: 7,
      document: '{"name":"checkout","enabled":true}',
      segments: [4],
      tags: ['team:payments'],
    },
    { project: 'default', name: 'old', revision: 5, document: null, segments: [], tags: [] },
  ],
  segments: [{ id: 4, revision: 6, document: '{"id":4,"constraints":[]}' }],
};

const encode = async (snapshot: Snapshot, key = KEY) => Buffer.concat(await encodeSnapshot(snapshot, key));

test('the server writes and reads the test vector in the documentation', async () => {
  expect((await encode(SNAPSHOT)).toString()).toBe(VECTOR);
  expect(decodeSnapshot(Buffer.from(VECTOR), KEYS)).toEqual(SNAPSHOT);
  expect(PAGE).toContain(KEY.id);
  expect(PAGE).toContain(KEY.publicKey.export({ format: 'der', type: 'spki' }).toString('base64'));
});

test('a snapshot with many rows is read back unchanged', async () => {
  const features = Array.from({ length: 1_234 }, (_, n) => ({
    project: 'default',
    name: `flag-${n}`,
    revision: n,
    document: `{"name":"flag-${n}","description":"ü€😀"}`,
    segments: [],
    tags: [],
  }));

  expect(decodeSnapshot(await encode({ ...SNAPSHOT, features }), KEYS).features).toEqual(features);
});

test.each([
  ['a flipped bit anywhere', (file: Buffer, index: number) => file.with(index, (file[index] ?? 0) ^ 1)],
  ['a file that is cut off', (file: Buffer, at: number) => file.subarray(0, at)],
])('%s is rejected', async (_case, alter) => {
  const file = await encode(SNAPSHOT);

  for (let index = 0; index < file.length; index++)
    expect(() => decodeSnapshot(Buffer.from(alter(file, index)), KEYS), `at ${index}`).toThrow();
});

test('rejects an untrusted key, an altered version number and appended bytes', async () => {
  const foreignSnapshot = await encode(SNAPSHOT, deriveSigningKey(Buffer.alloc(32, 2)));
  expect(() => decodeSnapshot(foreignSnapshot, KEYS)).toThrow('which is not trusted');
  const later = VECTOR.replace('{"v":1', '{"v":2');
  expect(() => decodeSnapshot(Buffer.from(later), KEYS)).toThrow('signature');
  expect(() => decodeSnapshot(Buffer.from(`${VECTOR}\n`), KEYS)).toThrow('634 bytes instead of 633');
});

test('rejects a correctly signed snapshot of a later format version, naming both versions and asking for an upgrade', () => {
  const [header = '', , body] = VECTOR.split('\n');
  const signHeader = (line: string) => {
    const signature = sign(null, Buffer.from(line), KEY.privateKey).toString('base64');
    return Buffer.from(`${line}\n${KEY.id} ${signature}\n${body}`);
  };
  expect(decodeSnapshot(signHeader(header), KEYS)).toEqual(SNAPSHOT);

  for (const later of [header.replace('{"v":1', '{"v":2'), '{"v":3,"other":"fields"}'])
    expect(() => decodeSnapshot(signHeader(later), KEYS)).toThrow(
      /^The snapshot has format version [23], but this program supports only version 1\. Upgrade this edge or server\.$/,
    );
  const malformed = signHeader(header.replace('{"v":1', '{"v":"2"'));
  expect(() => decodeSnapshot(malformed, KEYS)).toThrow('The header is not valid for version 1: {"v":"2",');
});
