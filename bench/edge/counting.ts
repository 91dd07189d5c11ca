import { setTimeout as sleep } from 'node:timers/promises';
import { makeToken, must } from '../requests.ts';
import type { Row } from './main.ts';
import { untilEqual, type World } from './world.ts';

const FLAGS = 10;
const PER_POST = 1_000;
const HOUR_MS = 3_600_000;
const WITHIN_MS = 120_000;
const MAX_LOST_S = 10;

type Accepted = { yes: number; at: number };

/** Evaluations that SDKs report to three edges while upstream is unreachable for a while, and to one that is killed. */
export async function measureCounting(
  { server, client, proxy, startEdge }: World,
  evaluations: number,
  cutSeconds: number,
): Promise<Row[]> {
  const token = await makeToken(server.url, 'backend', 'production');
  const names = Array.from({ length: FLAGS }, (_, n) => `counted-${n}`);
  for (const name of names) await must(server.url, 'POST', '/api/admin/projects/default/features', { name });
  const edges = [await startEdge(), await startEdge(), await startEdge()];
  for (const edge of edges) await untilEqual(server.url, edge.url, token);

  const report = async (url: string, appName: string, yes: number, hoursAgo: number): Promise<Accepted> => {
    const stop = new Date(Date.now() - hoursAgo * HOUR_MS).toISOString();
    const toggles = Object.fromEntries(names.map(name => [name, { yes: yes / FLAGS, no: 0, variants: {} }]));
    const { status } = await fetch(`${url}/api/client/metrics`, {
      method: 'POST',
      headers: { authorization: token, 'content-type': 'application/json' },
      body: JSON.stringify({ appName, instanceId: 'bench', bucket: { start: stop, stop, toggles } }),
    });
    if (status !== 202) throw new Error(`A report got ${status}`);
    return { yes, at: performance.now() };
  };
  const stored = async (application: string): Promise<number> => {
    const { rows } = await client.query<{ yes: string }>(
      `select coalesce(sum(yes), 0) as yes from metric_hours join applications on applications.id = application_id
      where variant = '' and applications.name = $1`,
      [application],
    );
    return Number(rows[0]?.yes);
  };

  proxy.cut();
  const posts = Math.ceil(evaluations / PER_POST);
  const pauseMs = (cutSeconds * 1_000) / (posts / 2);
  for (let n = 0; n < posts; n++) {
    // Half of the evaluations belong to the previous hour. The server is back before the second half.
    await report(edges[n % 3]?.url ?? '', 'counted', PER_POST, n < posts / 2 ? 1 : 0);
    if (n < posts / 2) await sleep(pauseMs);
    if (n === Math.ceil(posts / 2)) proxy.thaw();
  }
  proxy.thaw();
  const until = performance.now() + WITHIN_MS;
  while ((await stored('counted')) < posts * PER_POST && performance.now() < until) await sleep(500);
  // Waits, because counts that arrive twice would arrive later.
  await sleep(12_000);
  const sum = await stored('counted');

  const victim = edges[0];
  if (!victim) throw new Error('There is no edge to kill');
  const accepted: Accepted[] = [];
  const end = performance.now() + 25_000;
  while (performance.now() < end) {
    accepted.push(await report(victim.url, 'killed', FLAGS, 0));
    await sleep(20);
  }
  const killedAt = performance.now();
  await victim.stop('SIGKILL');
  const again = await startEdge({ folder: victim.folder });
  await sleep(25_000);
  const kept = (await stored('killed')) / FLAGS;
  const lostS = kept >= accepted.length ? 0 : (killedAt - (accepted[Math.floor(kept)]?.at ?? 0)) / 1_000;
  for (const edge of [...edges.slice(1), again]) await edge.stop();
  return [
    {
      what: `${posts * PER_POST} evaluations through 3 edges, upstream unreachable for ${cutSeconds} s of them`,
      value: `${sum - posts * PER_POST} wrong`,
      limit: '0',
      isMet: sum === posts * PER_POST,
    },
    {
      what: `counts that kill -9 loses (${accepted.length - kept} of ${accepted.length} reports)`,
      value: `${lostS.toFixed(1)} s`,
      limit: `${MAX_LOST_S} s`,
      isMet: lostS <= MAX_LOST_S && kept <= accepted.length,
    },
  ];
}
