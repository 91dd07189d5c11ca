import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** Returns the preferred port if nothing listens on it, otherwise any free port. */
export async function findFreePort(preferred = 0): Promise<number> {
  const probe = createServer().listen(preferred, '127.0.0.1');
  const isFree = await once(probe, 'listening').then(
    () => true,
    () => false,
  );
  if (!isFree) return await findFreePort();
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

/** Rejects with the operating system's error if a server cannot listen on the port. */
export async function probePort(host: string, port: number): Promise<void> {
  const probe = createServer().listen(port, host);
  await once(probe, 'listening');
  probe.close();
  await once(probe, 'close');
}
