import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { installPackage, packPackage } from './package.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The packed package, as npm publishes it. */
    packed: string;
    /** A folder in which nothing but the package is installed. */
    installed: string;
  }
}

let folder: string;

export async function setup(project: TestProject): Promise<void> {
  folder = mkdtempSync(join(tmpdir(), 'halyard-release-'));
  const packed = await packPackage(new URL('../../dist/package/', import.meta.url).pathname, folder);
  project.provide('packed', packed);
  project.provide('installed', await installPackage(packed, join(folder, 'installed')));
}

export function teardown(): void {
  rmSync(folder, { recursive: true, force: true });
}
