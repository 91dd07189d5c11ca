import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** Builds the console like `npm run build`. Overrides the test runner's NODE_ENV=test, which would make React twice as large. */
export async function buildConsole(): Promise<void> {
  await promisify(execFile)(process.execPath, ['node_modules/vite/bin/vite.js', 'build', 'console'], {
    cwd: ROOT,
    env: { ...process.env, NODE_ENV: 'production' },
  });
}
