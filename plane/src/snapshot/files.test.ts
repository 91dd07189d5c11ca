import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { cleanUpSnapshots, readSnapshots, writeSnapshot } from './files.ts';
import { encodeSnapshot, type Snapshot } from './format.ts';
import { deriveSigningKey } from './keys.ts';

const KEY = deriveSigningKey(Buffer.alloc(32, 1));
const KEYS = new Map([[KEY.id, KEY.publicKey]]);
const NAME = 'production';
let folder: string;
let warnings: object[];
const log = { warn: (fields: object) => void warnings.push(fields) };

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'halyard-files-'));
  warnings = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Several megabytes in many parts, so that two writers overlap. */
const buildParts = (revision: number): Promise<Buffer[]> => {
  const snapshot: Snapshot = {
    feed: { environment: NAME, projects: null },
    epoch: 'epoch',
    revision,
    takenAt: new Date(0).toISOString(),
    completeSince: 0,
    origins: ['*'],
    tokenRevision: 1,
    tokens: [],
    endedTokens: [],
    features: Array.from({ length: 2_000 + 500 * (revision % 3) }, (_, n) => ({
      project: 'default',
      name: `flag-${n}`,
      revision,
      document: JSON.stringify({ name: `flag-${n}`, description: 'x'.repeat(500) }),
      segments: [],
      tags: [],
    })),
    segments: [],
  };
  return encodeSnapshot(snapshot, KEY);
};

test('servers that write to the same folder never damage its snapshots', async () => {
  const allParts = await Promise.all([1, 2, 3].map(buildParts));
  const write = async (parts: Buffer[]) => {
    for (let n = 0; n < 10; n++) await writeSnapshot(folder, NAME, parts);
  };

  await Promise.all(allParts.map(write));

  expect(await readSnapshots(folder, KEYS, log)).toHaveLength(1);
  rmSync(join(folder, `${NAME}.snapshot`));
  expect(await readSnapshots(folder, KEYS, log)).toHaveLength(1);
  expect(warnings).toEqual([]);
  expect(readdirSync(folder)).toEqual([`${NAME}.snapshot.previous`]);
});

test('a failed write leaves nothing behind, and a write does not follow a link', async () => {
  const parts = await buildParts(1);
  const target = join(folder, 'target');
  writeFileSync(target, 'untouched');
  symlinkSync(target, join(folder, `${NAME}.snapshot.new`));
  // The write fails, because a file cannot replace a folder.
  mkdirSync(join(folder, `${NAME}.snapshot.previous`));
  writeFileSync(join(folder, `${NAME}.snapshot`), 'old');

  await expect(writeSnapshot(folder, NAME, parts)).rejects.toThrow(/EISDIR|ENOTEMPTY|EEXIST/);

  expect(readFileSync(target, 'utf8')).toBe('untouched');
  expect(readdirSync(folder).filter(file => file.includes('.new-'))).toEqual([]);
});

test('removes files that a killed server left, but not those that another server is writing', async () => {
  const [abandonedFile, newFile] = [`${NAME}.snapshot.new-left`, `${NAME}.snapshot.new-fresh`];
  for (const file of [abandonedFile, newFile]) writeFileSync(join(folder, file), 'half');
  const hourAgo = Date.now() / 1_000 - 3_600;
  utimesSync(join(folder, abandonedFile), hourAgo, hourAgo);

  await cleanUpSnapshots(folder, [NAME]);

  expect(readdirSync(folder)).toEqual([newFile]);
});

test('reads only regular files', async () => {
  execFileSync('mkfifo', [join(folder, `${NAME}.snapshot`)]);

  expect(await readSnapshots(folder, KEYS, log)).toEqual([]);
  expect(warnings).toMatchObject([{ problem: 'It is not a regular file.' }]);
});
