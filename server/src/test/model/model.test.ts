import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import type { EventRow } from '../../record/events/store.ts';
import { campaignSize, SEED } from '../campaign.ts';
import { findExposedFeatures } from '../consistency.ts';
import { useHarness } from '../harness.ts';
import { type ApiResponse, call } from '../request.ts';
import { type Command, command, makeVariants, NAMES } from './commands.ts';
import { listInOrder, predict } from './predict.ts';
import { replay } from './replay.ts';
import { type Flag, type FlagEnvironment, type Strategy, sortStrategies, type World } from './world.ts';

const SEQUENCES = campaignSize({ usual: 30, long: 2_000 });
const CONCURRENCY = 4;

// Each sequence gets its own project.
const harness = useHarness({ limits: { projects: SEQUENCES * 20 } });
let projectCount = 0;

beforeAll(async () => {
  await call(harness.app, 'POST', '/api/admin/environments', { body: { name: 'staging', type: 'test' } });
});

test.concurrent.each(Array.from({ length: CONCURRENCY }, (_, index) => SEED + index))(
  'the server, its events and a simple model agree after any sequence of requests (seed %i)',
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
  const project = `p${projectCount++}`;
  const environments = ['development', 'production'];
  await sendRequest('POST', '/api/admin/projects', { id: project, name: project, environments });
  let world: World = { environments, defaults: {}, flags: {} };

  for (const command of commands) {
    const predictedWorld = predict(world, command, name => `${project}.${name}`);
    const { status, body } = await send(project, world, command);
    expect(status, `${JSON.stringify(command)}: ${JSON.stringify(body)}`).toBeLessThan(500);
    expect(status < 300, `${JSON.stringify(command)}: ${status} ${JSON.stringify(body)}`).toBe(
      predictedWorld !== undefined,
    );
    world = predictedWorld ? await fillInIds(project, predictedWorld) : world;
    expect(await findExposedFeatures(harness.db, project), JSON.stringify(command)).toEqual([]);
  }

  expect(await readWorld(project, world)).toEqual(sortStrategies(world));
  expect(sortStrategies(rename(project, replay(await readEvents(project))))).toEqual(sortStrategies(world));
}

const sendRequest = async (
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  url: string,
  body?: unknown,
): Promise<ApiResponse> => await call(harness.app, method, url, body === undefined ? {} : { body });

/** Sends the request for a command. */
async function send(project: string, world: World, command: Command): Promise<ApiResponse> {
  const base = `/api/admin/projects/${project}`;
  const fullName = (name: string) => `${project}.${name}`;
  const feature = (name: string) => `${base}/features/${fullName(name)}`;
  const features = (names: string[]) => names.map(fullName);
  const strategy = ({ name, environment, index }: { name: string; environment: string; index: number }) => {
    const flagEnvironment = world.flags[name]?.environments[environment];
    const id = (flagEnvironment && listInOrder(flagEnvironment)[index]?.id) ?? randomUUID();
    return `${feature(name)}/environments/${environment}/strategies/${id}`;
  };
  switch (command.kind) {
    case 'create': {
      const { type, description } = command;
      return await sendRequest('POST', `${base}/features`, {
        name: fullName(command.name),
        type,
        description,
      });
    }
    case 'update':
      return await sendRequest('PUT', feature(command.name), command.update);
    case 'stale':
      return await sendRequest('POST', `${base}/stale`, {
        features: features(command.names),
        stale: command.stale,
      });
    case 'archive':
    case 'revive':
    case 'delete':
      return await sendRequest('POST', `${base}/${command.kind}`, { features: features(command.names) });
    case 'toggle': {
      const [first, ...others] = command.names;
      const state = `environments/${command.environment}/${command.enabled ? 'on' : 'off'}`;
      return first !== undefined && others.length === 0
        ? await sendRequest('POST', `${feature(first)}/${state}`)
        : await sendRequest('POST', `${base}/bulk_features/${state}`, { features: features(command.names) });
    }
    case 'add-strategy':
      return await sendRequest(
        'POST',
        `${feature(command.name)}/environments/${command.environment}/strategies`,
        command.strategy,
      );
    case 'change-strategy':
      return await sendRequest('PUT', strategy(command), command.strategy);
    case 'patch-strategy':
      return await sendRequest('PATCH', strategy(command), [
        { op: 'replace', path: '/disabled', value: command.disabled },
      ]);
    case 'remove-strategy':
      return await sendRequest('DELETE', strategy(command));
    case 'copy-environment':
      return await sendRequest('POST', `${feature(command.name)}/environments/${command.environment}/copy`, {
        from: command.from,
      });
    case 'import': {
      const featureName = fullName(command.name);
      return await sendRequest('POST', '/api/admin/features-batch/import', {
        project,
        environment: command.environment,
        data: {
          features: [{ name: featureName }],
          featureStrategies: command.strategies.map(strategy => ({ featureName, ...strategy })),
          ...(command.enabled === undefined
            ? {}
            : { featureEnvironments: [{ featureName, enabled: command.enabled }] }),
        },
      });
    }
    case 'clone':
      return await sendRequest('POST', `${feature(command.name)}/clone`, {
        name: fullName(command.copyName),
      });
    case 'order-strategies': {
      const flagEnvironment = world.flags[command.name]?.environments[command.environment];
      const ids = flagEnvironment?.strategies.length
        ? listInOrder(flagEnvironment).map(({ id }) => id)
        : [randomUUID()];
      const order = ids.flatMap((id, index) => {
        const sortOrder = command.numbers[index];
        return sortOrder === undefined ? [] : [{ id, sortOrder }];
      });
      return await sendRequest(
        'POST',
        `${feature(command.name)}/environments/${command.environment}/strategies/set-sort-order`,
        order,
      );
    }
    case 'set-variants':
      return await sendRequest(
        'PUT',
        `${feature(command.name)}/environments/${command.environment}/variants`,
        makeVariants(command.variants),
      );
    case 'tag': {
      const [type, value] = command.tag.split(':');
      return await sendRequest('POST', `/api/admin/features/${fullName(command.name)}/tags`, { type, value });
    }
    case 'untag':
      return await sendRequest(
        'DELETE',
        `/api/admin/features/${fullName(command.name)}/tags/${command.tag.replace(':', '/')}`,
      );
    case 'depend':
      return await sendRequest('POST', `${feature(command.name)}/dependencies`, {
        feature: fullName(command.parent),
        ...command.requirement,
      });
    case 'undepend':
      return await sendRequest('DELETE', `${feature(command.name)}/dependencies/${fullName(command.parent)}`);
    case 'undepend-all':
      return await sendRequest('DELETE', `${feature(command.name)}/dependencies`);
    case 'complete':
      return await sendRequest('POST', `${feature(command.name)}/lifecycle/complete`, {
        status: command.status,
      });
    case 'uncomplete':
      return await sendRequest('POST', `${feature(command.name)}/lifecycle/uncomplete`);
    case 'add-environment':
      return await sendRequest('POST', `${base}/environments`, { environment: command.environment });
    case 'remove-environment':
      return await sendRequest('DELETE', `${base}/environments/${command.environment}`);
    case 'set-default':
      return await sendRequest(
        'POST',
        `${base}/environments/${command.environment}/default-strategy`,
        command.strategy,
      );
  }
}

/** Fills in the strategy ids, which the model cannot know, because the server assigns them. */
async function fillInIds(project: string, world: World): Promise<World> {
  for (const [name, flag] of Object.entries(world.flags)) {
    for (const [environment, flagEnvironment] of Object.entries(flag.environments)) {
      if (flagEnvironment.strategies.every(({ id }) => id !== '')) continue;
      const environmentUrl = `/api/admin/projects/${project}/features/${project}.${name}/environments/${environment}`;
      const { body } = await sendRequest('GET', `${environmentUrl}/strategies`);
      const knownIds = new Set(flagEnvironment.strategies.map(({ id }) => id));
      const newStrategies = body.filter(({ id }: { id: string }) => !knownIds.has(id));
      for (const strategy of listInOrder(flagEnvironment)) strategy.id ||= newStrategies.shift()?.id ?? '';
    }
  }
  return world;
}

async function readWorld(project: string, { environments }: World): Promise<World> {
  const flags: World['flags'] = {};
  for (const name of NAMES) {
    const url = `/api/admin/projects/${project}/features/${project}.${name}`;
    const { status, body } = await sendRequest('GET', url);
    if (status !== 200) continue;
    // The latest stage is not enough, because for an archived flag it does not show whether the flag was completed before.
    const { body: stages } = await sendRequest('GET', `${url}/lifecycle`);
    const completedStage = stages.find(({ stage }: { stage: string }) => stage === 'completed');
    flags[name] = toFlag(project, { ...body, completed: completedStage?.status ?? null });
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

type FeatureResponse = Omit<Flag, 'tags' | 'parents' | 'environments'> & {
  tags: { type: string; value: string }[];
  dependencies: { feature: string; enabled: boolean; variants: string[] }[];
  environments: (Omit<FlagEnvironment, 'strategies'> & {
    name: string;
    strategies: (Strategy & { featureName: string })[];
  })[];
};

function toFlag(project: string, response: FeatureResponse): Flag {
  const { type, description = null, impressionData, stale, archived, completed } = response;
  return {
    ...{ type, description, impressionData, stale, archived, completed },
    tags: response.tags.map(tag => `${tag.type}:${tag.value}`),
    parents: Object.fromEntries(
      response.dependencies.map(({ feature, enabled, variants }) => [
        shortName(project, feature),
        { enabled, variants },
      ]),
    ),
    environments: Object.fromEntries(
      response.environments.map(({ name, enabled, variants, strategies }) => [
        name,
        {
          enabled,
          variants,
          strategies: strategies.map(({ featureName: _, ...otherFields }) => otherFields),
        },
      ]),
    ),
  };
}

async function readEvents(project: string): Promise<EventRow[]> {
  const { rows } = await sql<EventRow>`
    select type, environment, feature_name as "featureName", data, pre_data as "preData" from events
    where project = ${project} order by id`.execute(harness.db);
  return rows;
}

/** Returns the same world under the model's short names. */
function rename(project: string, world: World): World {
  const shortenNames = <T>(record: Record<string, T>) =>
    Object.fromEntries(Object.entries(record).map(([name, value]) => [shortName(project, name), value]));
  const flags = shortenNames(world.flags);
  for (const flag of Object.values(flags)) flag.parents = shortenNames(flag.parents);
  return { ...world, flags };
}

const shortName = (project: string, name: string): string => name.replace(`${project}.`, '');
