// Runs the server and the console in development. Both reload after a change of their sources.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createServer } from 'vite';

const pages = await createServer({
  configFile: fileURLToPath(new URL('../vite.config.ts', import.meta.url)),
});
await pages.listen();
const [address = ''] = pages.resolvedUrls?.local ?? [];

const server = spawn(process.execPath, ['--watch', 'server/src/main.ts', ...process.argv.slice(2)], {
  cwd: fileURLToPath(new URL('../../', import.meta.url)),
  stdio: 'inherit',
  // Links and single sign-on lead to the URL of the console in development. A change of the sources restarts the server, and
  // nothing waits for the old one.
  env: {
    HALYARD_PUBLIC_URL: address.replace(/\/$/, ''),
    HALYARD_SHUTDOWN_DELAY_SECONDS: '0',
    ...process.env,
  },
});
console.log(`Console with hot reload: ${address}`);

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    server.kill(signal);
    void pages.close();
  });
server.once('exit', code => process.exit(code ?? 0));
