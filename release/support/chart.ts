import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** Contains the renderer and the files that tests write. */
export const folder = mkdtempSync(join(tmpdir(), 'halyard-chart-'));
/** Inside the repository, so that the compiler finds the types. */
const typedFolder = join(ROOT, 'dist', `chart-types-${process.pid}`);

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
  rmSync(typedFolder, { recursive: true, force: true });
});

beforeAll(() => {
  // Debian's packages install the sources where Go looked for them before it had modules.
  execFileSync('go', ['build', '-o', join(folder, 'render'), join(ROOT, 'release/support/chart/main.go')], {
    env: {
      PATH: process.env.PATH,
      GO111MODULE: 'off',
      GOPATH: '/usr/share/gocode',
      GOCACHE: join(folder, 'cache'),
    },
  });
});

// biome-ignore lint/suspicious/noExplicitAny: the types of Kubernetes objects are checked in a test
export type Kubernetes = any;
export type RenderedChart = {
  texts: Record<string, string>;
  objects: Record<string, Kubernetes[]>;
  values: Record<string, unknown>;
};

/** Renders a chart with values, as `helm template` does. */
export function render(chart: string, files: string[]): RenderedChart {
  const { status, stdout, stderr } = spawnSync(join(folder, 'render'), [chart, 'flags', ...files], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as RenderedChart;
}

export const listObjects = ({ objects }: RenderedChart): Kubernetes[] => Object.values(objects).flat();

const TYPES: Record<string, [module: string, name: string]> = {
  Deployment: ['apps/v1', 'IDeployment'],
  StatefulSet: ['apps/v1', 'IStatefulSet'],
  Job: ['batch/v1', 'IJob'],
  Service: ['v1', 'IService'],
  Ingress: ['networking.k8s.io/v1', 'IIngress'],
  NetworkPolicy: ['networking.k8s.io/v1', 'INetworkPolicy'],
  PodDisruptionBudget: ['policy/v1', 'IPodDisruptionBudget'],
  HorizontalPodAutoscaler: ['autoscaling/v2', 'IHorizontalPodAutoscaler'],
};
/** Kinds that the Prometheus Operator defines, so Kubernetes itself does not know them. */
const CUSTOM_KINDS = ['ServiceMonitor', 'PrometheusRule'];

/** Returns the wrong types and missing fields that kubernetes-models finds. */
export async function validate(objects: Kubernetes[]): Promise<string[]> {
  const problems: string[] = [];
  for (const object of objects) {
    const type = TYPES[object.kind];
    if (type === undefined) {
      if (!CUSTOM_KINDS.includes(object.kind)) problems.push(`unknown kind ${object.kind}`);
      continue;
    }
    const models = await import(/* @vite-ignore */ `kubernetes-models/${type[0]}`);
    try {
      new models[object.kind](object).validate();
    } catch (error) {
      problems.push(`${object.kind} ${object.metadata.name}: ${(error as Error).message}`);
    }
  }
  return problems;
}

/** Compiles the objects with the types from kubernetes-models. Returns the compiler errors, for example about unknown fields. */
export function findTypeErrors(objects: Kubernetes[]): string {
  mkdirSync(typedFolder, { recursive: true });
  const typedObjects = objects.filter(({ kind }) => kind in TYPES);
  const lines = typedObjects.map(object => {
    const [module, name] = TYPES[object.kind] ?? [];
    return `${JSON.stringify(object)} satisfies import('kubernetes-models/${module}').${name};`;
  });
  const file = join(typedFolder, 'objects.ts');
  writeFileSync(file, `export {};\n${lines.map(line => `(${line.slice(0, -1)});`).join('\n')}\n`);
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--ignoreConfig'];
  const { stdout } = spawnSync(join(ROOT, 'node_modules/.bin/tsc'), [...options, file], { encoding: 'utf8' });
  return stdout;
}
