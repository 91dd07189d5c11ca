import type { EventRow } from '../../record/events/store.ts';
import { type Flag, newFlag, newPlace, type Place, type Strategy, type World } from './world.ts';

// biome-ignore lint/suspicious/noExplicitAny: payloads are told apart by the type of their event
type Payload = any;
type Told = { world: World; data: Payload; preData: Payload; featureName: string; environment: string };

/** Rebuilds the world from nothing but a project's events, oldest first. */
export function replay(events: EventRow[]): World {
  const world: World = { environments: [], defaults: {}, flags: {} };
  for (const event of events) {
    const tell = TOLD[event.type];
    if (!tell) throw new Error(`Nobody has told how to replay ${event.type}`);
    tell({
      world,
      data: event.data,
      preData: event.preData,
      featureName: event.featureName ?? '',
      environment: event.environment ?? '',
    });
  }
  return world;
}

const TOLD: Record<string, (told: Told) => void> = {
  'project-created': ({ world, data }) => {
    world.environments = data.environments.toSorted();
  },
  'project-environment-added': ({ world, environment }) => {
    world.environments = [...world.environments, environment].toSorted();
    for (const flag of Object.values(world.flags)) flag.environments[environment] = newPlace();
  },
  'project-environment-removed': ({ world, environment }) => {
    world.environments = world.environments.filter(name => name !== environment);
    delete world.defaults[environment];
    for (const flag of Object.values(world.flags)) delete flag.environments[environment];
  },
  'default-strategy-updated': ({ world, environment, data }) => {
    world.defaults[environment] = data;
  },
  'tag-created': () => {},
  'features-imported': () => {},
  'feature-created': ({ world, featureName, data }) => {
    world.flags[featureName] = { ...newFlag(world.environments), ...fieldsOf(data) };
  },
  'feature-metadata-updated': told => {
    Object.assign(flagOf(told), fieldsOf(told.data));
  },
  'feature-deleted': ({ world, featureName }) => {
    delete world.flags[featureName];
  },
  'feature-archived': told => {
    flagOf(told).archived = true;
  },
  'feature-revived': told => {
    Object.assign(flagOf(told), { archived: false, completed: null });
  },
  'feature-stale-on': told => {
    flagOf(told).stale = true;
  },
  'feature-stale-off': told => {
    flagOf(told).stale = false;
  },
  'feature-completed': told => {
    flagOf(told).completed = told.data.status;
  },
  'feature-uncompleted': told => {
    flagOf(told).completed = null;
  },
  'feature-tagged': told => {
    const flag = flagOf(told);
    flag.tags = [...flag.tags, `${told.data.type}:${told.data.value}`].toSorted();
  },
  'feature-untagged': told => {
    const flag = flagOf(told);
    flag.tags = flag.tags.filter(tag => tag !== `${told.preData.type}:${told.preData.value}`);
  },
  'feature-dependency-added': told => {
    const { feature, enabled, variants } = told.data;
    flagOf(told).parents[feature] = { enabled, variants };
  },
  'feature-dependency-removed': told => {
    delete flagOf(told).parents[told.preData.feature];
  },
  'feature-dependencies-removed': told => {
    flagOf(told).parents = {};
  },
  'feature-environment-enabled': told => {
    placeOf(told).enabled = true;
  },
  'feature-environment-disabled': told => {
    placeOf(told).enabled = false;
  },
  'feature-environment-variants-updated': told => {
    placeOf(told).variants = told.data.variants;
  },
  'feature-strategy-add': told => {
    const place = placeOf(told);
    place.strategies = [...place.strategies, told.data];
  },
  'feature-strategy-update': told => {
    const place = placeOf(told);
    place.strategies = place.strategies.map(one => (one.id === told.data.id ? told.data : one));
  },
  'feature-strategy-remove': told => {
    const place = placeOf(told);
    place.strategies = place.strategies.filter(one => one.id !== told.preData.id);
  },
  'strategy-order-changed': told => {
    const place = placeOf(told);
    const numbers = new Map<string, number>(
      told.data.strategyIds.map((id: string, at: number) => [id, told.data.sortOrders[at]]),
    );
    const numbered = (one: Strategy) => ({ ...one, sortOrder: numbers.get(one.id) ?? one.sortOrder });
    place.strategies = place.strategies.map(numbered);
  },
};

const fieldsOf = ({ type, description, impressionData, stale, archived }: Payload) => ({
  type,
  description,
  impressionData,
  stale,
  archived,
});

function flagOf({ world, featureName }: Told): Flag {
  const flag = world.flags[featureName];
  if (!flag) throw new Error(`event about flag ${featureName} before its creation`);
  return flag;
}

function placeOf(told: Told): Place {
  const place = flagOf(told).environments[told.environment];
  if (!place)
    throw new Error(`event about ${told.featureName} in ${told.environment}, where the flag does not exist`);
  return place;
}
