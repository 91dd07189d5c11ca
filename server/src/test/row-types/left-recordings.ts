import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';
import type { OperationEvents } from '../operation-events.ts';
import type { Recording } from './recorder.ts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** They read what all other test files left. */
const READERS = ['row-types/row-types.test.ts', 'operation-events.test.ts'].map(
  name => `server/src/test/${name}`,
);

export type LeftRecording = { rows: Recording; events: OperationEvents };

/** What the test files of this run recorded. */
export const readRecordings = (): LeftRecording[] =>
  readdirSync(inject('recordings')).map(name =>
    JSON.parse(readFileSync(join(inject('recordings'), name), 'utf8')),
  );

/** How many test files of the server did not run. */
export const countMissing = (): number =>
  globSync('server/src/**/*.test.ts', { cwd: ROOT, exclude: READERS }).filter(
    path => !existsSync(join(inject('recordings'), encodeURIComponent(join(ROOT, path)))),
  ).length;
