import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';
import type { OperationEvents } from '../operation-events.ts';
import type { Recording } from './recorder.ts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

const NO_RECORDING = [
  // These read the recordings of all other test files.
  'server/src/test/row-types/row-types.test.ts',
  'server/src/test/operation-events.test.ts',
  // These are skipped if no PostgreSQL cluster can be started.
  'server/src/publishing/snapshots/start.process.test.ts',
  'server/src/record/epoch/failover.process.test.ts',
];

export type SavedRecording = { rows: Recording; events: OperationEvents };

/** Returns the recordings of all test files in this run. */
export const readRecordings = (): SavedRecording[] =>
  readdirSync(inject('recordings')).map(name =>
    JSON.parse(readFileSync(join(inject('recordings'), name), 'utf8')),
  );

/** Returns how many test files of the server and the data plane did not run. */
export const countMissing = (): number =>
  globSync('{plane,server}/src/**/*.test.ts', { cwd: ROOT, exclude: NO_RECORDING }).filter(
    path => !existsSync(join(inject('recordings'), encodeURIComponent(join(ROOT, path)))),
  ).length;
