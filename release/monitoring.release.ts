import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startUnleash } from 'unleash-client';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { freePort } from '../server/scripts/demo/free-port.ts';
import { createDatabase, dropDatabase, urlOf } from '../server/src/test/database.ts';
import { type RunningServer, startProcess, stopProcess } from '../server/src/test/process.ts';
import { startReceiver } from '../server/src/test/receiver.ts';
import { runToEnd } from './support/package.ts';

const ENTRY = join(inject('installed'), 'node_modules/halyard/bin/halyard.cjs');
const ROOT = fileURLToPath(new URL('../', import.meta.url));
const RULES = readFileSync(join(ROOT, 'deploy/prometheus/rules.yaml'), 'utf8');
const CASES = readFileSync(join(ROOT, 'deploy/prometheus/rules.test.yaml'), 'utf8');
const RUNBOOK = readFileSync(join(ROOT, 'docs/how-to/respond-to-alerts.md'), 'utf8');
const ALERTS = [...RULES.matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);

const database = `halyard_monitoring_${process.pid}`;
const token = `*:*.${randomBytes(24).toString('hex')}`;
const folder = mkdtempSync(join(tmpdir(), 'halyard-monitoring-'));
let prometheus: ChildProcess | undefined;

afterAll(async () => {
  if (prometheus !== undefined) {
    prometheus.kill();
    await once(prometheus, 'exit');
  }
  await dropDatabase(database);
  rmSync(folder, { recursive: true, force: true });
});

/** Runs promtool on a copy of the rules. */
async function testRules(rules: string, cases = CASES) {
  writeFileSync(join(folder, 'rules.yaml'), rules);
  writeFileSync(join(folder, 'rules.test.yaml'), cases);
  return await runToEnd('promtool', ['test', 'rules', join(folder, 'rules.test.yaml')]);
}

test('promtool accepts the rules, and every alert fires and is silent as its cases say', async () => {
  expect(await runToEnd('promtool', ['check', 'rules', join(ROOT, 'deploy/prometheus/rules.yaml')])).toEqual({
    code: 0,
    output: expect.stringContaining(`SUCCESS: ${ALERTS.length} rules found`),
  });
  expect(await testRules(RULES)).toMatchObject({ code: 0, output: expect.stringContaining('SUCCESS') });
});

test.each(ALERTS)('%s has a firing case, a silent case and a section of the runbook', name => {
  expect(CASES).toContain(`- name: ${name} fires\n`);
  expect(CASES).toContain(`- name: ${name} is silent\n`);
  expect(RUNBOOK).toContain(`\n## ${name}\n`);
  expect(RULES).toContain(`runbook: docs/how-to/respond-to-alerts.md#${name.toLowerCase()}\n`);
});

test('the runbook describes no other alert', () => {
  expect([...RUNBOOK.matchAll(/^## (Halyard\w+)$/gm)].map(([, name]) => name)).toEqual(ALERTS);
});

/** One rule, and the same rule with its comparison reversed. */
function reversed(name: string): string {
  const [rule = ''] = new RegExp(`- alert: ${name}\\n[\\s\\S]*?(?=\\n\\s*- alert|$)`).exec(RULES) ?? [];
  const swapped = rule.replace(/ ([<>]) (?=[\d.e]+\n)/, (_, sign) => (sign === '<' ? ' > ' : ' < '));
  expect(swapped, name).not.toBe(rule);
  return RULES.replace(rule, swapped);
}

/** The cases for one alert. All of them together would take promtool 16 times as long. */
const casesOf = (name: string): string =>
  CASES.split(/^(?= {2}- name: )/m)
    .filter((part, n) => n === 0 || part.startsWith(`  - name: ${name} `))
    .join('');

test('promtool finds a reversed comparison in each rule', async () => {
  for (const name of ALERTS) {
    expect(await testRules(RULES, casesOf(name)), name).toMatchObject({ code: 0 });
    expect(await testRules(reversed(name), casesOf(name)), name).toMatchObject({ code: 1 });
  }
});

const admin = (body?: object): RequestInit => ({
  method: body === undefined ? 'GET' : 'POST',
  headers: { authorization: token, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
  ...(body === undefined ? {} : { body: JSON.stringify(body) }),
});

/** Requests of people, SDKs and a delivery, until it is stopped. */
async function startTraffic({ url }: RunningServer) {
  const receiver = await startReceiver();
  const post = async (path: string, body: object) => {
    const response = await fetch(`${url}${path}`, admin(body));
    expect(response.ok, `${path}: ${response.status} ${await response.clone().text()}`).toBe(true);
    return (await response.json()) as { secret?: string };
  };
  await post('/api/admin/addons', {
    provider: 'webhook',
    enabled: true,
    parameters: { url: receiver.url },
    events: ['feature-created'],
  });
  const { secret = '' } = await post('/api/admin/api-tokens', {
    tokenName: 'traffic',
    type: 'backend',
    environment: 'development',
    projects: ['*'],
  });
  const sdk = await startUnleash({
    url: `${url}/api`,
    appName: 'traffic',
    refreshInterval: 500,
    metricsInterval: 1_000,
    customHeaders: { Authorization: secret },
  });
  const stop = new AbortController();
  const requests = (async () => {
    for (let n = 0; !stop.signal.aborted; n++) {
      await post('/api/admin/projects/default/features', { name: `flag-${n}`, type: 'release' });
      sdk.isEnabled(`flag-${n}`);
      await fetch(`${url}/api/admin/search/features`, admin());
      await fetch(`${url}/auth/simple/login`, admin({ username: 'nobody', password: 'wrong' }));
      await sleep(100);
    }
  })();
  return async () => {
    stop.abort();
    await requests;
    sdk.destroy();
    await receiver.close();
  };
}

type QueryResult = { status: string; data: { result: { metric: object; value: [number, string] }[] } };

async function startPrometheus(target: RunningServer): Promise<(path: string) => Promise<QueryResult>> {
  const port = await freePort();
  writeFileSync(join(folder, 'rules.yaml'), RULES);
  writeFileSync(
    join(folder, 'prometheus.yaml'),
    `global: { scrape_interval: 1s, evaluation_interval: 1s }
rule_files: [rules.yaml]
scrape_configs:
  - job_name: halyard
    metrics_path: /internal-backstage/prometheus
    static_configs: [{ targets: ['127.0.0.1:${target.port}'] }]
`,
  );
  prometheus = spawn(
    'prometheus',
    [
      `--config.file=${join(folder, 'prometheus.yaml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: 'ignore' },
  );
  const at = `http://127.0.0.1:${port}`;
  const isReady = () =>
    fetch(`${at}/-/ready`).then(
      response => response.ok,
      () => false,
    );
  while (!(await isReady())) await sleep(100);
  return async path => (await (await fetch(at + path)).json()) as QueryResult;
}

/** The expressions of the rules without their threshold, which no healthy server crosses. */
const ruleExpressions = async (get: (path: string) => Promise<unknown>) => {
  type Rule = { name: string; query: string; health: string; lastError?: string };
  const { data } = (await get('/api/v1/rules')) as { data: { groups: { rules: Rule[] }[] } };
  return data.groups.flatMap(({ rules }) =>
    rules.map(({ name, query, health }) => ({ name, health, query: query.replace(/ [<>] [\d.e+]+$/, '') })),
  );
};

type Panel = { title: string; targets?: { expr: string }[] };

const dashboardExpressions = () => {
  const { panels } = JSON.parse(readFileSync(join(ROOT, 'deploy/grafana/dashboard.json'), 'utf8')) as {
    panels: Panel[];
  };
  return panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({
      name: title,
      query: expr
        .replaceAll('$job', 'halyard')
        .replaceAll('$instance', '.*')
        .replaceAll('$__rate_interval', '30s'),
    })),
  );
};

let server: RunningServer;
let get: (path: string) => Promise<QueryResult>;
let stopTraffic: () => Promise<void>;
beforeAll(async () => {
  await createDatabase(database);
  server = await startProcess(
    {
      DATABASE_URL: urlOf(database),
      HALYARD_INIT_ADMIN_TOKENS: token,
      HALYARD_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
      HALYARD_ALLOWED_TARGETS: '127.0.0.1',
      LOG_LEVEL: 'warn',
    },
    undefined,
    ENTRY,
    ['server'],
  );
  stopTraffic = await startTraffic(server);
  get = await startPrometheus(server);
});
afterAll(async () => {
  await stopTraffic?.();
  if (server) expect((await stopProcess(server)).code).toBe(0);
});

/** Requires a number, so that an unknown metric does not count. */
const isSeries = ({ data }: QueryResult): boolean =>
  data.result.length > 0 && data.result.some(({ value }) => Number.isFinite(Number(value[1])));

test('Prometheus scrapes a server under traffic, and every expression of rules and dashboard returns a series', async () => {
  await expect
    .poll(async () => (await ruleExpressions(get)).every(({ health }) => health === 'ok'))
    .toBe(true);
  const expressions = [...(await ruleExpressions(get)), ...dashboardExpressions()];
  expect(expressions.length).toBeGreaterThan(ALERTS.length + 20);

  for (const { name, query } of expressions)
    await expect
      .poll(async () => isSeries(await get(`/api/v1/query?query=${encodeURIComponent(query)}`)), {
        message: `${name}: ${query}`,
      })
      .toBe(true);
});

test('no alert fires on a healthy server', async () => {
  const firing = await get(`/api/v1/query?query=${encodeURIComponent('ALERTS{alertstate="firing"}')}`);

  expect(firing.data.result).toEqual([]);
});

test('an expression about a metric that does not exist returns no series', async () => {
  expect(isSeries(await get('/api/v1/query?query=halyard_absent'))).toBe(false);
});

test('promtool has no complaints about our metric names', async () => {
  const metrics = join(folder, 'metrics.txt');
  writeFileSync(metrics, await (await fetch(`${server.url}/internal-backstage/prometheus`)).text());

  const { output } = await runToEnd('sh', ['-c', `promtool check metrics < ${metrics}`]);

  expect(output.split('\n').filter(line => /^(halyard|http)_/.test(line))).toEqual([]);
});
