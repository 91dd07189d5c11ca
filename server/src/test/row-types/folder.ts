import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    recordings: string;
  }
}

let folder: string;

/** Creates the folder in which each test file saves its recording. */
export function setup(project: TestProject): void {
  folder = mkdtempSync(join(tmpdir(), 'halyard-row-types-'));
  project.provide('recordings', folder);
}

export function teardown(): void {
  rmSync(folder, { recursive: true });
}
