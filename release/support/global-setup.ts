import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { installPackage, packPackage } from './package.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The package file that npm would publish. */
    packageFile: string;
    /** A folder with nothing but the installed package. */
    installFolder: string;
  }
}

let folder: string;

export async function setup(project: TestProject): Promise<void> {
  folder = mkdtempSync(join(tmpdir(), 'halyard-release-'));
  const packageFile = await packPackage(new URL('../../dist/package/', import.meta.url).pathname, folder);
  project.provide('packageFile', packageFile);
  project.provide('installFolder', await installPackage(packageFile, join(folder, 'installed')));
}

export function teardown(): void {
  rmSync(folder, { recursive: true, force: true });
}
