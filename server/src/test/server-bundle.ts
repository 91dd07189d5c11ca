import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { bundle } from '../../../scripts/package/bundle.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** The server reads these at the same paths as in the package. */
const FILES = ['package.json', 'openapi.json', 'server/migrations', 'console/dist'];

let folder: string | undefined;

/** Bundles the server once for all projects. test/process.ts reads the path from SERVER_BUNDLE. */
export async function setup(project: Pick<TestProject, 'onTestsRerun'>): Promise<void> {
  if (process.env.SERVER_BUNDLE !== undefined) return;
  folder = mkdtempSync(join(tmpdir(), 'halyard-server-'));
  for (const file of FILES) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    symlinkSync(join(ROOT, file), join(folder, file));
  }
  await writeBundle(folder);
  process.env.SERVER_BUNDLE = join(folder, 'server/dist/main.js');
  // In watch mode, a run after a source change gets a new bundle.
  const bundleFolder = folder;
  project.onTestsRerun(() => writeBundle(bundleFolder));
}

export function teardown(): void {
  if (folder !== undefined) rmSync(folder, { recursive: true });
}

async function writeBundle(targetFolder: string): Promise<void> {
  await bundle({
    root: ROOT,
    folder: join(targetFolder, 'server/dist'),
    entries: {
      main: 'server/src/main.ts',
      'index-process': 'server/src/record/event-index/index-process.ts',
    },
    maps: 'none',
  });
}
