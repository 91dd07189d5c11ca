import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EdgeConfigError, readEdgeConfig } from './config.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'halyard-edge-config-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The lines of the error message for an invalid configuration. */
const problemsWith = (env: NodeJS.ProcessEnv): string[] => {
  try {
    readEdgeConfig(env);
  } catch (error) {
    if (error instanceof EdgeConfigError) return error.message.split('\n');
    throw error;
  }
  throw new Error('The configuration was accepted.');
};

test('the message names an empty file, and does not report the variable as missing', () => {
  const file = join(folder, 'empty');
  writeFileSync(file, '\n');

  expect(problemsWith({ HALYARD_EDGE_ENROLMENT_FILE: file })).toEqual([
    `HALYARD_EDGE_ENROLMENT_FILE: the file "${file}" is empty`,
  ]);
});

test('the message names a missing file', () => {
  const file = join(folder, 'missing');

  expect(problemsWith({ HALYARD_EDGE_ENROLMENT_FILE: file })).toEqual([
    expect.stringContaining(`HALYARD_EDGE_ENROLMENT_FILE: ENOENT: no such file or directory, open '${file}'`),
  ]);
});

test('without an enrolment, the message says how to get one', () => {
  expect(problemsWith({})).toEqual([
    'HALYARD_EDGE_ENROLMENT is required. To get an enrolment, create a token of type edge on the server.',
  ]);
});
