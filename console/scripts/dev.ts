// Runs the server and the console in development. Both reload when their sources change.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createServer } from 'vite';

const vite = await createServer({
  configFile: fileURLToPath(new URL('../vite.config.ts', import.meta.url)),
});
await vite.listen();
const [url = ''] = vite.resolvedUrls?.local ?? [];

const server = spawn(process.execPath, ['--watch', 'server/src/main.ts', ...process.argv.slice(2)], {
  cwd: fileURLToPath(new URL('../../', import.meta.url)),
  stdio: 'inherit',
  // Links and single sign-on must lead to the development console. The server needs no shutdown delay, because nothing waits for
  // the old process when a source change restarts it.
  env: {
    HALYARD_PUBLIC_URL: url.replace(/\/$/, ''),
    HALYARD_SHUTDOWN_DELAY_SECONDS: '0',
    ...process.env,
  },
});
console.log(`Console with hot reload: ${url}`);

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    server.kill(signal);
    void vite.close();
  });
server.once('exit', code => process.exit(code ?? 0));
