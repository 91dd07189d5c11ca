import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import type { EventRow } from '../../record/events/store.ts';
import { SEED, sized } from '../campaign.ts';
import { exposedFeatures } from '../consistency.ts';
import { useHarness } from '../harness.ts';
import { type ApiResponse, call } from '../request.ts';
import { type Command, command, NAMES, variantsNamed } from './commands.ts';
import { predict, sortedStrategies } from './predict.ts';
import { replay } from './replay.ts';
import { type Flag, type Place, type Strategy, sorted, type World } from './world.ts';

const SEQUENCES = sized({ usual: 30, long: 2_000 });
const CONCURRENCY = 4;

// Each sequence gets its own project.
const harness = useHarness({ limits: { projects: SEQUENCES * 20 } });
let projects = 0;

beforeAll(async () => {
  await call(harness.app, 'POST', '/api/admin/environments', { body: { name: 'staging', type: 'test' } });
});

test.concurrent.each(Array.from({ length: CONCURRENCY }, (_, at) => SEED + at))(
  'whatever is requested, in whatever order, the server and a simple model agree, and so do the events alone (seed %i)',
  async seed => {
    const commands = fc.array(command, { minLength: 1, maxLength: 14, size: 'max' });
    await fc.assert(fc.asyncProperty(commands, runSequence), {
      seed,
      numRuns: Math.ceil(SEQUENCES / CONCURRENCY),
      endOnFailure: false,
    });
  },
  3_600_000,
);

async function runSequence(commands: Command[]): Promise<void> {
  const project = `p${projects++}`;
  const environments = ['development', 'production'];
  await ask('POST', '/api/admin/projects', { id: project, name: project, environments });
  let world: World = { environments, defaults: {}, flags: {} };

  for (const one of commands) {
    const wanted = predict(world, one, name => `${project}.${name}`);
    const { status, body } = await send(project, world, one);
    expect(status, `${JSON.stringify(one)}: ${JSON.stringify(body)}`).toBeLessThan(500);
    expect(status < 300, `${JSON.stringify(one)}: ${status} ${JSON.stringify(body)}`).toBe(
      wanted !== undefined,
    );
    world = wanted ? await withIds(project, wanted) : world;
    expect(await exposedFeatures(harness.db, project), JSON.stringify(one)).toEqual([]);
  }

  expect(await observe(project, world)).toEqual(sorted(world));
  expect(sorted(rename(project, replay(await eventsOf(project))))).toEqual(sorted(world));
}

const ask = async (
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  url: string,
  body?: unknown,
): Promise<ApiResponse> => await call(harness.app, method, url, body === undefined ? {} : { body });

/** The request for a command. */
async function send(project: string, world: World, one: Command): Promise<ApiResponse> {
  const base = `/api/admin/projects/${project}`;
  const full = (name: string) => `${project}.${name}`;
  const feature = (name: string) => `${base}/features/${full(name)}`;
  const features = (names: string[]) => names.map(full);
  const strategy = ({ name, environment, at }: { name: string; environment: string; at: number }) => {
    const place = world.flags[name]?.environments[environment];
    const id = (place && sortedStrategies(place)[at]?.id) ?? randomUUID();
    return `${feature(name)}/environments/${environment}/strategies/${id}`;
  };
  switch (one.kind) {
    case 'create': {
      const { type, description } = one;
      return await ask('POST', `${base}/features`, { name: full(one.name), type, description });
    }
    case 'update':
      return await ask('PUT', feature(one.name), one.update);
    case 'stale':
      return await ask('POST', `${base}/stale`, { features: features(one.names), stale: one.stale });
    case 'archive':
    case 'revive':
    case 'delete':
      return await ask('POST', `${base}/${one.kind}`, { features: features(one.names) });
    case 'toggle': {
      const [only, ...others] = one.names;
      const state = `environments/${one.environment}/${one.enabled ? 'on' : 'off'}`;
      return only !== undefined && others.length === 0
        ? await ask('POST', `${feature(only)}/${state}`)
        : await ask('POST', `${base}/bulk_features/${state}`, { features: features(one.names) });
    }
    case 'add-strategy':
      return await ask(
        'POST',
        `${feature(one.name)}/environments/${one.environment}/strategies`,
        one.strategy,
      );
    case 'change-strategy':
      return await ask('PUT', strategy(one), one.strategy);
    case 'patch-strategy':
      return await ask('PATCH', strategy(one), [{ op: 'replace', path: '/disabled', value: one.disabled }]);
    case 'remove-strategy':
      return await ask('DELETE', strategy(one));
    case 'copy-environment':
      return await ask('POST', `${feature(one.name)}/environments/${one.environment}/copy`, {
        from: one.from,
      });
    case 'import': {
      const featureName = full(one.name);
      return await ask('POST', '/api/admin/features-batch/import', {
        project,
        environment: one.environment,
        data: {
          features: [{ name: featureName }],
          featureStrategies: one.strategies.map(strategy => ({ featureName, ...strategy })),
          ...(one.enabled === undefined
            ? {}
            : { featureEnvironments: [{ featureName, enabled: one.enabled }] }),
        },
      });
    }
    case 'clone':
      return await ask('POST', `${feature(one.name)}/clone`, { name: full(one.as) });
    case 'order-strategies': {
      const place = world.flags[one.name]?.environments[one.environment];
      const ids = place?.strategies.length ? sortedStrategies(place).map(({ id }) => id) : [randomUUID()];
      const order = ids.flatMap((id, at) => {
        const sortOrder = one.numbers[at];
        return sortOrder === undefined ? [] : [{ id, sortOrder }];
      });
      return await ask(
        'POST',
        `${feature(one.name)}/environments/${one.environment}/strategies/set-sort-order`,
        order,
      );
    }
    case 'set-variants':
      return await ask(
        'PUT',
        `${feature(one.name)}/environments/${one.environment}/variants`,
        variantsNamed(one.variants),
      );
    case 'tag': {
      const [type, value] = one.tag.split(':');
      return await ask('POST', `/api/admin/features/${full(one.name)}/tags`, { type, value });
    }
    case 'untag':
      return await ask('DELETE', `/api/admin/features/${full(one.name)}/tags/${one.tag.replace(':', '/')}`);
    case 'depend':
      return await ask('POST', `${feature(one.name)}/dependencies`, {
        feature: full(one.parent),
        ...one.how,
      });
    case 'undepend':
      return await ask('DELETE', `${feature(one.name)}/dependencies/${full(one.parent)}`);
    case 'undepend-all':
      return await ask('DELETE', `${feature(one.name)}/dependencies`);
    case 'complete':
      return await ask('POST', `${feature(one.name)}/lifecycle/complete`, { status: one.status });
    case 'uncomplete':
      return await ask('POST', `${feature(one.name)}/lifecycle/uncomplete`);
    case 'add-environment':
      return await ask('POST', `${base}/environments`, { environment: one.environment });
    case 'remove-environment':
      return await ask('DELETE', `${base}/environments/${one.environment}`);
    case 'set-default':
      return await ask('POST', `${base}/environments/${one.environment}/default-strategy`, one.strategy);
  }
}

/** The server assigns ids, so the model adopts those it cannot know yet. */
async function withIds(project: string, world: World): Promise<World> {
  for (const [name, flag] of Object.entries(world.flags)) {
    for (const [environment, place] of Object.entries(flag.environments)) {
      if (place.strategies.every(({ id }) => id !== '')) continue;
      const here = `/api/admin/projects/${project}/features/${project}.${name}/environments/${environment}`;
      const { body } = await ask('GET', `${here}/strategies`);
      const known = new Set(place.strategies.map(({ id }) => id));
      const fresh = body.filter(({ id }: { id: string }) => !known.has(id));
      for (const strategy of sortedStrategies(place)) strategy.id ||= fresh.shift()?.id ?? '';
    }
  }
  return world;
}

async function observe(project: string, { environments }: World): Promise<World> {
  const flags: World['flags'] = {};
  for (const name of NAMES) {
    const url = `/api/admin/projects/${project}/features/${project}.${name}`;
    const { status, body } = await ask('GET', url);
    if (status !== 200) continue;
    // The latest stage alone is not enough, because for an archived flag a different stage decides.
    const { body: stages } = await ask('GET', `${url}/lifecycle`);
    const completed = stages.find(({ stage }: { stage: string }) => stage === 'completed');
    flags[name] = asFlag(project, { ...body, completed: completed?.status ?? null });
  }
  const defaults = await sql<{ name: string; strategy: World['defaults'][string] | null }>`
    select environment_name as name, default_strategy as strategy from project_environments
    where project_id = ${project} order by environment_name`.execute(harness.db);
  expect(defaults.rows.map(({ name }) => name)).toEqual(environments);
  return {
    environments,
    defaults: Object.fromEntries(
      defaults.rows.flatMap(({ name, strategy }) => (strategy === null ? [] : [[name, strategy]])),
    ),
    flags,
  };
}

type Shown = Omit<Flag, 'tags' | 'parents' | 'environments'> & {
  tags: { type: string; value: string }[];
  dependencies: { feature: string; enabled: boolean; variants: string[] }[];
  environments: (Omit<Place, 'strategies'> & {
    name: string;
    strategies: (Strategy & { featureName: string })[];
  })[];
};

function asFlag(project: string, shown: Shown): Flag {
  const { type, description = null, impressionData, stale, archived, completed } = shown;
  return {
    ...{ type, description, impressionData, stale, archived, completed },
    tags: shown.tags.map(tag => `${tag.type}:${tag.value}`),
    parents: Object.fromEntries(
      shown.dependencies.map(({ feature, enabled, variants }) => [
        local(project, feature),
        { enabled, variants },
      ]),
    ),
    environments: Object.fromEntries(
      shown.environments.map(({ name, enabled, variants, strategies }) => [
        name,
        { enabled, variants, strategies: strategies.map(({ featureName: _, ...one }) => one) },
      ]),
    ),
  };
}

async function eventsOf(project: string): Promise<EventRow[]> {
  const { rows } = await sql<EventRow>`
    select type, environment, feature_name as "featureName", data, pre_data as "preData" from events
    where project = ${project} order by id`.execute(harness.db);
  return rows;
}

/** The same world under the model's short names. */
function rename(project: string, world: World): World {
  const renamed = <T>(record: Record<string, T>) =>
    Object.fromEntries(Object.entries(record).map(([name, value]) => [local(project, name), value]));
  const flags = renamed(world.flags);
  for (const flag of Object.values(flags)) flag.parents = renamed(flag.parents);
  return { ...world, flags };
}

const local = (project: string, name: string): string => name.replace(`${project}.`, '');
