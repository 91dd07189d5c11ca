// Restarts two servers behind nginx, one after the other, under load. It passes if no request failed. With --outage, it passes if
// no minute of a database outage had more than 20 log lines.
import { randomBytes } from 'node:crypto';
import { loadavg } from 'node:os';
import { readOptions } from '../../server/src/platform/command-line.ts';
import { createDatabase, dropDatabase, urlOf } from '../../server/src/test/database.ts';
import { withClient } from '../database.ts';
import { makeToken } from '../requests.ts';
import { printMachine, type Server, startServer } from '../server.ts';
import { startLoad } from './load.ts';
import { startNginx } from './nginx.ts';
import { runOutage } from './outage.ts';

const options = readOptions({
  run: 'npm run campaign:restart',
  does: 'Restarts two servers behind nginx under load, one after the other, and counts failed requests.',
  options: {
    rounds: { type: 'string', default: '10', meaning: 'Restarts of each server' },
    nginx: {
      type: 'string',
      default: 'default',
      meaning: 'default, or sample for deploy/nginx/halyard.conf',
    },
    delay: { type: 'string', default: '15', meaning: 'HALYARD_SHUTDOWN_DELAY_SECONDS' },
    outage: {
      type: 'string',
      default: '0',
      meaning: 'Instead of restarts, make the database unreachable for this many minutes and count log lines',
    },
    silent: {
      type: 'boolean',
      default: false,
      meaning: 'In the outage, connections stay open and get no response',
    },
    port: { type: 'string', default: '7450', meaning: 'Port of nginx; the servers use the next two' },
  },
});

// Each start of a server adds listeners.
process.setMaxListeners(0);

const site = options.nginx === 'sample' ? 'sample' : 'default';
const PORT = Number(options.port);

const name = `halyard_restarts_${randomBytes(4).toString('hex')}`;
await createDatabase(name);
const database = new URL(urlOf(name));
try {
  // The first server applies the migrations.
  const servers: Server[] = [await start(0)];
  await withClient(database, printMachine);
  const token = await makeToken(String(servers[0]?.url), 'backend', 'production');
  const minutes = Number(options.outage);
  let isPassed: boolean;
  if (minutes > 0) {
    await servers[0]?.stop();
    isPassed = await runOutage(database, token, minutes, options.silent);
  } else isPassed = await restartServers(servers, token);
  process.exitCode = isPassed ? 0 : 1;
} finally {
  await dropDatabase(name);
}

function start(at: number): Promise<Server> {
  return startServer(database, PORT + 1 + at, Number(options.delay));
}

/** Returns whether every request succeeded. */
async function restartServers(servers: Server[], token: string): Promise<boolean> {
  servers.push(await start(1));
  const stopNginx = await startNginx(site, PORT, [PORT + 1, PORT + 2]);
  const load = startLoad(`http://127.0.0.1:${PORT}`, token);
  try {
    for (let round = 1; round <= Number(options.rounds); round++) {
      for (const at of [0, 1]) {
        const began = performance.now();
        await servers[at]?.stop();
        servers[at] = await start(at);
        const took = ((performance.now() - began) / 1_000).toFixed(1);
        console.log(
          `round ${round}, server ${at + 1}: ${took} s, ${load.failed()} failed${load.failures() && ` (${load.failures()})`}, load ${loadavg()[0]?.toFixed(1)}`,
        );
      }
    }
  } finally {
    await load.stop();
    await stopNginx();
    for (const server of servers) await server.stop();
  }
  console.log(load.summary());
  return load.failed() === 0;
}
