import { setTimeout as sleep } from 'node:timers/promises';
import { makeToken, mustSend } from '../requests.ts';
import type { Row } from './row.ts';
import { type World, waitForEqualFlags } from './world.ts';

const FLAGS = 10;
const EVALUATIONS_PER_REPORT = 1_000;
const HOUR_MS = 3_600_000;
const STORAGE_TIMEOUT_MS = 120_000;
const MAX_LOST_S = 10;

type AcceptedReport = { yes: number; acceptedAt: number };

/** Reports evaluations to three edges while the server is temporarily unreachable, and then to an edge that is killed. */
export async function measureCounting(
  { server, client, proxy, startEdge }: World,
  evaluations: number,
  cutSeconds: number,
): Promise<Row[]> {
  const token = await makeToken(server.url, 'backend', 'production');
  const names = Array.from({ length: FLAGS }, (_, n) => `counted-${n}`);
  for (const name of names)
    await mustSend(server.url, 'POST', '/api/admin/projects/default/features', { name });
  const edges = [await startEdge(), await startEdge(), await startEdge()];
  for (const edge of edges) await waitForEqualFlags(server.url, edge.url, token);

  const report = async (
    url: string,
    appName: string,
    yes: number,
    hoursAgo: number,
  ): Promise<AcceptedReport> => {
    const stop = new Date(Date.now() - hoursAgo * HOUR_MS).toISOString();
    const toggles = Object.fromEntries(names.map(name => [name, { yes: yes / FLAGS, no: 0, variants: {} }]));
    const { status } = await fetch(`${url}/api/client/metrics`, {
      method: 'POST',
      headers: { authorization: token, 'content-type': 'application/json' },
      body: JSON.stringify({ appName, instanceId: 'bench', bucket: { start: stop, stop, toggles } }),
    });
    if (status !== 202) throw new Error(`The edge returned ${status} to a metrics report`);
    return { yes, acceptedAt: performance.now() };
  };
  const countStored = async (application: string): Promise<number> => {
    const { rows } = await client.query<{ yes: string }>(
      `select coalesce(sum(yes), 0) as yes from metric_hours join applications on applications.id = application_id
      where variant = '' and applications.name = $1`,
      [application],
    );
    return Number(rows[0]?.yes);
  };

  proxy.cut();
  const reportCount = Math.ceil(evaluations / EVALUATIONS_PER_REPORT);
  const pauseMs = (cutSeconds * 1_000) / (reportCount / 2);
  for (let n = 0; n < reportCount; n++) {
    // The first half belongs to the previous hour. The server is reachable again after the first report of the second half.
    await report(edges[n % 3]?.url ?? '', 'counted', EVALUATIONS_PER_REPORT, n < reportCount / 2 ? 1 : 0);
    if (n < reportCount / 2) await sleep(pauseMs);
    if (n === Math.ceil(reportCount / 2)) proxy.restore();
  }
  proxy.restore();
  const deadline = performance.now() + STORAGE_TIMEOUT_MS;
  while (
    (await countStored('counted')) < reportCount * EVALUATIONS_PER_REPORT &&
    performance.now() < deadline
  )
    await sleep(500);
  // Wait before counting, because duplicate counts would arrive late.
  await sleep(12_000);
  const sum = await countStored('counted');

  const victim = edges[0];
  if (!victim) throw new Error('There is no edge to kill');
  const acceptedReports: AcceptedReport[] = [];
  const writeDeadline = performance.now() + 25_000;
  while (performance.now() < writeDeadline) {
    acceptedReports.push(await report(victim.url, 'killed', FLAGS, 0));
    await sleep(20);
  }
  const killedAt = performance.now();
  await victim.stop('SIGKILL');
  const restarted = await startEdge({ folder: victim.folder });
  await sleep(25_000);
  const storedReports = (await countStored('killed')) / FLAGS;
  const lostS =
    storedReports >= acceptedReports.length
      ? 0
      : (killedAt - (acceptedReports[Math.floor(storedReports)]?.acceptedAt ?? 0)) / 1_000;
  for (const edge of [...edges.slice(1), restarted]) await edge.stop();
  return [
    {
      metric: `${reportCount * EVALUATIONS_PER_REPORT} evaluations through 3 edges, with the server unreachable for the first ${cutSeconds} s`,
      value: `${sum - reportCount * EVALUATIONS_PER_REPORT} wrong`,
      limit: '0',
      isWithinLimit: sum === reportCount * EVALUATIONS_PER_REPORT,
    },
    {
      metric: `seconds of reports lost to kill -9 (${acceptedReports.length - storedReports} of ${acceptedReports.length} reports)`,
      value: `${lostS.toFixed(1)} s`,
      limit: `${MAX_LOST_S} s`,
      isWithinLimit: lostS <= MAX_LOST_S && storedReports <= acceptedReports.length,
    },
  ];
}
