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
import { findFreePort } from '../server/scripts/demo/free-port.ts';
import { createDatabase, dropDatabase, getDatabaseUrl } from '../server/src/test/database.ts';
import { type RunningServer, startProcess, stopProcess } from '../server/src/test/process.ts';
import { startReceiver } from '../server/src/test/receiver.ts';
import { runToEnd } from './support/package.ts';

const ENTRY = join(inject('installFolder'), 'node_modules/halyard/bin/halyard.cjs');
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

test('promtool accepts the rules, and all test cases of the alerts pass', async () => {
  expect(await runToEnd('promtool', ['check', 'rules', join(ROOT, 'deploy/prometheus/rules.yaml')])).toEqual({
    code: 0,
    output: expect.stringContaining(`SUCCESS: ${ALERTS.length} rules found`),
  });
  expect(await testRules(RULES)).toMatchObject({ code: 0, output: expect.stringContaining('SUCCESS') });
});

test.each(ALERTS)('%s has a firing case, a silent case and a runbook section', name => {
  expect(CASES).toContain(`- name: ${name} fires\n`);
  expect(CASES).toContain(`- name: ${name} is silent\n`);
  expect(RUNBOOK).toContain(`\n## ${name}\n`);
  expect(RULES).toContain(`runbook: docs/how-to/respond-to-alerts.md#${name.toLowerCase()}\n`);
});

test('the runbook describes exactly the alerts in the rules', () => {
  expect([...RUNBOOK.matchAll(/^## (Halyard\w+)$/gm)].map(([, name]) => name)).toEqual(ALERTS);
});

/** Returns the rules after reversing the comparison in one of them. */
function reverseComparison(name: string): string {
  const [rule = ''] = new RegExp(`- alert: ${name}\\n[\\s\\S]*?(?=\\n\\s*- alert|$)`).exec(RULES) ?? [];
  const reversedRule = rule.replace(/ ([<>]) (?=[\d.e]+\n)/, (_, sign) => (sign === '<' ? ' > ' : ' < '));
  expect(reversedRule, name).not.toBe(rule);
  return RULES.replace(rule, reversedRule);
}

/** Returns the cases for one alert only, because with the cases for all alerts promtool takes 16 times as long. */
const extractCases = (name: string): string =>
  CASES.split(/^(?= {2}- name: )/m)
    .filter((part, n) => n === 0 || part.startsWith(`  - name: ${name} `))
    .join('');

test('the cases detect a reversed comparison in each rule', async () => {
  for (const name of ALERTS) {
    expect(await testRules(RULES, extractCases(name)), name).toMatchObject({ code: 0 });
    expect(await testRules(reverseComparison(name), extractCases(name)), name).toMatchObject({ code: 1 });
  }
});

const admin = (body?: object): RequestInit => ({
  method: body === undefined ? 'GET' : 'POST',
  headers: { authorization: token, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
  ...(body === undefined ? {} : { body: JSON.stringify(body) }),
});

/** Simulates users, an SDK and deliveries until the returned function is called. */
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
  const abort = new AbortController();
  const requests = (async () => {
    for (let n = 0; !abort.signal.aborted; n++) {
      await post('/api/admin/projects/default/features', { name: `flag-${n}`, type: 'release' });
      sdk.isEnabled(`flag-${n}`);
      await fetch(`${url}/api/admin/search/features`, admin());
      await fetch(`${url}/auth/simple/login`, admin({ username: 'nobody', password: 'wrong' }));
      await sleep(100);
    }
  })();
  return async () => {
    abort.abort();
    await requests;
    sdk.destroy();
    await receiver.close();
  };
}

type QueryResult = { status: string; data: { result: { metric: object; value: [number, string] }[] } };

/** Starts the package's edge, which reads from the server. */
async function startEdge({ url }: RunningServer): Promise<RunningServer> {
  const body = { tokenName: 'edge', type: 'edge', environment: 'development', projects: ['*'] };
  const response = await fetch(`${url}/api/admin/api-tokens`, admin(body));
  const { enrolment = '' } = (await response.json()) as { enrolment?: string };
  const env = { HALYARD_EDGE_ENROLMENT: enrolment, HALYARD_EDGE_UPSTREAM: url };
  return await startProcess(env, undefined, ENTRY, ['edge']);
}

async function startPrometheus(
  server: RunningServer,
  edge: RunningServer,
): Promise<(path: string) => Promise<QueryResult>> {
  const port = await findFreePort();
  writeFileSync(join(folder, 'rules.yaml'), RULES);
  writeFileSync(
    join(folder, 'prometheus.yaml'),
    `global: { scrape_interval: 1s, evaluation_interval: 1s }
rule_files: [rules.yaml]
scrape_configs:
  - job_name: halyard
    metrics_path: /internal-backstage/prometheus
    static_configs: [{ targets: ['127.0.0.1:${server.port}'] }]
  - job_name: halyard-edge
    static_configs: [{ targets: ['127.0.0.1:${edge.port}'] }]
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
  const url = `http://127.0.0.1:${port}`;
  const isReady = () =>
    fetch(`${url}/-/ready`).then(
      response => response.ok,
      () => false,
    );
  while (!(await isReady())) await sleep(100);
  return async path => (await (await fetch(url + path)).json()) as QueryResult;
}

/** Reads the rule expressions without their thresholds, because on a healthy server no value crosses one. */
const readRuleExpressions = async (get: (path: string) => Promise<unknown>) => {
  type Rule = { name: string; query: string; health: string; lastError?: string };
  const { data } = (await get('/api/v1/rules')) as { data: { groups: { rules: Rule[] }[] } };
  return data.groups.flatMap(({ rules }) =>
    rules.map(({ name, query, health }) => ({ name, health, query: query.replace(/ [<>] [\d.e+]+$/, '') })),
  );
};

type Panel = { title: string; targets?: { expr: string }[] };

const readDashboardExpressions = () => {
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
let edge: RunningServer;
let get: (path: string) => Promise<QueryResult>;
let stopTraffic: () => Promise<void>;
beforeAll(async () => {
  await createDatabase(database);
  server = await startProcess(
    {
      DATABASE_URL: getDatabaseUrl(database),
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
  edge = await startEdge(server);
  get = await startPrometheus(server, edge);
});
afterAll(async () => {
  await stopTraffic?.();
  if (edge) expect((await stopProcess(edge)).code).toBe(0);
  if (server) expect((await stopProcess(server)).code).toBe(0);
});

/** Returns whether a result contains a number. The result for an unknown metric does not. */
const hasSeries = ({ data }: QueryResult): boolean =>
  data.result.length > 0 && data.result.some(({ value }) => Number.isFinite(Number(value[1])));

test('every expression in the rules and the dashboard returns a series once a server and an edge have traffic', async () => {
  await expect
    .poll(async () => (await readRuleExpressions(get)).every(({ health }) => health === 'ok'))
    .toBe(true);
  const expressions = [...(await readRuleExpressions(get)), ...readDashboardExpressions()];
  expect(expressions.length).toBeGreaterThan(ALERTS.length + 20);

  for (const { name, query } of expressions)
    await expect
      .poll(async () => hasSeries(await get(`/api/v1/query?query=${encodeURIComponent(query)}`)), {
        message: `${name}: ${query}`,
      })
      .toBe(true);
});

test('no alert fires on a healthy server', async () => {
  const alerts = await get(`/api/v1/query?query=${encodeURIComponent('ALERTS{alertstate="firing"}')}`);

  expect(alerts.data.result).toEqual([]);
});

test('an expression with an unknown metric returns no series', async () => {
  expect(hasSeries(await get('/api/v1/query?query=halyard_absent'))).toBe(false);
});

test('promtool accepts our metric names', async () => {
  const metricsFile = join(folder, 'metrics.txt');
  writeFileSync(metricsFile, await (await fetch(`${server.url}/internal-backstage/prometheus`)).text());

  const { output } = await runToEnd('sh', ['-c', `promtool check metrics < ${metricsFile}`]);

  expect(output.split('\n').filter(line => /^(halyard|http)_/.test(line))).toEqual([]);
});
