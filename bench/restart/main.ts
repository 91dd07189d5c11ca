// Restarts two servers behind nginx, one after the other, under load. Passes if no request failed. With --outage, makes the database
// unreachable instead, and passes if no minute had more than 20 log lines.
import { loadAverage, makeDatabase, readSettings, runCampaign } from '../campaign.ts';
import { withClient } from '../database.ts';
import { makeToken } from '../requests.ts';
import { printMachine, type Server, startServer } from '../server.ts';
import { startLoad } from './load.ts';
import { startNginx } from './nginx.ts';
import { runOutage } from './outage.ts';

const settings = readSettings(
  'npm run campaign:restart',
  'Restarts two servers behind nginx under load, one after the other, and counts failed requests.',
  {
    rounds: [10, 'Restarts of each server'],
    nginx: ['default', 'default, or sample for deploy/nginx/halyard.conf'],
    delay: [15, 'Shutdown delay in seconds (HALYARD_SHUTDOWN_DELAY_SECONDS)'],
    outage: [
      0,
      'Instead of restarts, make the database unreachable for this many minutes and count log lines',
    ],
    silent: [false, 'In the outage, connections stay open and get no response'],
    port: [7_450, 'nginx port; the servers use the next two ports'],
  },
);

await runCampaign(async campaign => {
  const { fail, atEnd } = campaign;
  const database = await makeDatabase('restarts', campaign);
  const start = (index: number) =>
    startServer(database, { port: settings.port + 1 + index, shutdownDelaySeconds: settings.delay });
  // The first server applies the migrations.
  const servers: Server[] = [await start(0)];
  atEnd(async () => {
    for (const server of servers) await server.stop();
  });
  await withClient(database, printMachine);
  const token = await makeToken(String(servers[0]?.url), 'backend', 'production');
  if (settings.outage > 0) {
    await servers[0]?.stop();
    await runOutage(campaign, database, token, settings.outage, settings.silent);
    return;
  }
  servers.push(await start(1));
  const site = settings.nginx === 'sample' ? 'sample' : 'default';
  atEnd(await startNginx(site, settings.port, [settings.port + 1, settings.port + 2]));
  const callers = startLoad(`http://127.0.0.1:${settings.port}`, token);
  for (let round = 1; round <= settings.rounds; round++) {
    for (const index of [0, 1]) {
      const startedAt = performance.now();
      await servers[index]?.stop();
      servers[index] = await start(index);
      const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
      console.log(
        `round ${round}, server ${index + 1}: ${seconds} s, ${loadAverage()}, ${callers.summary()}`,
      );
    }
  }
  await callers.stop();
  console.log(callers.summary());
  if (callers.failures() > 0) fail(`${callers.failures()} requests failed`);
});
