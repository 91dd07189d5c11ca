// The only files of the console that import sources of the server are this one and global-setup.ts: they start the real
// server as a process. Tests reach it by its pages and by its public API.
import { randomBytes } from 'node:crypto';
import { copyDatabase, dropDatabase, urlOf } from '../../../server/src/test/database.ts';
import { startProcess, stopProcess } from '../../../server/src/test/process.ts';

export type ConsoleServer = {
  url: string;
  adminToken: string;
  stop: () => Promise<void>;
};

/** A server with the built console on a copy of the template. `localhost`, because browsers treat it like https. */
export async function startServer(
  template: string,
  env: Record<string, string> = {},
): Promise<ConsoleServer> {
  const name = `halyard_console_${randomBytes(6).toString('hex')}`;
  const adminToken = `*:*.${randomBytes(24).toString('hex')}`;
  await copyDatabase(template, name);
  const running = await startProcess({
    DATABASE_URL: urlOf(name),
    HALYARD_INIT_ADMIN_TOKENS: adminToken,
    HALYARD_SECRET_KEY: randomBytes(32).toString('base64'),
    // Tests deliver to receivers on this machine.
    HALYARD_ALLOW_PRIVATE_TARGETS: 'true',
    LOG_LEVEL: 'warn',
    ...env,
  });
  return {
    url: `http://localhost:${running.port}`,
    adminToken,
    stop: async () => {
      await stopProcess(running);
      await dropDatabase(name);
    },
  };
}
