import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, inject } from 'vitest';
import { takeEvents } from '../operation-events.ts';
import { takeRecording } from './recorder.ts';

// Test files run in several workers, so each saves its own recording. A second run in watch mode replaces it.
afterAll(() => {
  const name = encodeURIComponent(expect.getState().testPath ?? '');
  writeFileSync(
    join(inject('recordings'), name),
    JSON.stringify({ rows: takeRecording(), events: takeEvents() }),
  );
});
