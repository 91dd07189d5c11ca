import { isDeepStrictEqual } from 'node:util';
import { type Command, type CommandOf, type Kind, type StrategyInput, variantsNamed } from './commands.ts';
import { childrenOf, type Flag, newFlag, newPlace, type Place, type Strategy, type World } from './world.ts';

/** The expected result of a command: the world afterwards, or `undefined` if the server must reject it. */
export function predict(
  before: World,
  command: Command,
  groupOf: (name: string) => string,
): World | undefined {
  const world = structuredClone(before);
  return PREDICT[command.kind](world, command as never, groupOf) ? world : undefined;
}

type Predict<K extends Kind> = (
  world: World,
  command: CommandOf<K>,
  groupOf: (name: string) => string,
) => boolean;

/** Each changes the world and returns true, or returns false if the request must be rejected. */
const PREDICT: { [K in Kind]: Predict<K> } = {
  create: (world, { name, type, description }) => {
    if (world.flags[name]) return false;
    world.flags[name] = { ...newFlag(world.environments), type, description };
    return true;
  },
  update: (world, { name, update }) => {
    const flag = active(world, name);
    if (!flag) return false;
    Object.assign(flag, update);
    return true;
  },
  stale: (world, { names, stale }) => forAll(world, names, flag => Object.assign(flag, { stale })),
  archive: (world, { names }) => {
    const left = names.flatMap(name => childrenOf(world, name)).filter(child => !names.includes(child));
    if (left.length > 0) return false;
    return forAll(world, names, flag => {
      if (!flag.archived) Object.assign(flag, { archived: true, parents: {} });
    });
  },
  revive: (world, { names }) =>
    forAll(world, names, flag => {
      if (!flag.archived) return;
      Object.assign(flag, { archived: false, completed: null });
      for (const place of Object.values(flag.environments)) place.enabled = false;
    }),
  delete: (world, { names }) => {
    if (!names.every(name => world.flags[name]?.archived)) return false;
    for (const name of names) delete world.flags[name];
    return true;
  },
  toggle: (world, { names, environment, enabled }, groupOf) => {
    const places = names.map(name => world.flags[name]?.environments[environment]);
    if (!places.every(place => place !== undefined)) return false;
    if (enabled && names.some(name => world.flags[name]?.archived)) return false;
    for (const [at, place] of places.entries()) {
      if (place.enabled === enabled) continue;
      place.enabled = enabled;
      if (!enabled || place.strategies.some(one => !one.disabled)) continue;
      const standard = { ...(world.defaults[environment] ?? ON_FOR_ALL), disabled: false };
      place.strategies.push(complete(standard, place, groupOf(names[at] ?? '')));
    }
    return true;
  },
  'add-strategy': (world, { name, environment, strategy }, groupOf) => {
    const place = active(world, name)?.environments[environment];
    place?.strategies.push(complete(strategy, place, groupOf(name)));
    return place !== undefined;
  },
  'change-strategy': (world, { name, environment, at, strategy }, groupOf) => {
    const place = active(world, name)?.environments[environment];
    const before = place && sortedStrategies(place)[at];
    if (!before) return false;
    const { id, sortOrder } = before;
    const after = { ...complete({ sortOrder, ...strategy }, place, groupOf(name)), id };
    place.strategies = place.strategies.map(one => (one === before ? after : one));
    disableIfUnguarded(place);
    return true;
  },
  'patch-strategy': (world, { name, environment, at, disabled }) => {
    const place = active(world, name)?.environments[environment];
    const before = place && sortedStrategies(place)[at];
    if (!before) return false;
    before.disabled = disabled;
    disableIfUnguarded(place);
    return true;
  },
  'remove-strategy': (world, { name, environment, at }) => {
    const place = active(world, name)?.environments[environment];
    const gone = place && sortedStrategies(place)[at];
    if (!gone) return false;
    place.strategies = place.strategies.filter(one => one !== gone);
    disableIfUnguarded(place);
    return true;
  },
  'copy-environment': (world, { name, environment, from }) => {
    const flag = active(world, name);
    const [place, source] = [flag?.environments[environment], flag?.environments[from]];
    if (!place || !source || place === source) return false;
    if (!sameContent(source.strategies, place.strategies)) {
      place.strategies = sortedStrategies(source).map(one => ({ ...one, id: '' }));
      disableIfUnguarded(place);
    }
    place.variants = source.variants;
    return true;
  },
  import: (world, { name, environment, enabled, strategies }, groupOf) => {
    if (!world.environments.includes(environment)) return false;
    const known = world.flags[name];
    if (known?.archived) return true;
    const flag = known ?? newFlag(world.environments);
    const place = flag.environments[environment] ?? newPlace();
    const coming = strategies.map((one, sortOrder) =>
      complete({ ...one, sortOrder }, newPlace(), groupOf(name)),
    );
    if (!sameContent(place.strategies, coming)) place.strategies = coming;
    place.enabled = enabled ?? place.enabled;
    disableIfUnguarded(place);
    world.flags[name] = flag;
    return true;
  },
  clone: (world, { name, as }, groupOf) => {
    const source = active(world, name);
    if (!source || world.flags[as]) return false;
    const copy = {
      ...newFlag(world.environments),
      ...structuredClone(source),
      stale: false,
      completed: null,
    };
    for (const place of Object.values(copy.environments)) {
      place.enabled = false;
      place.strategies = sortedStrategies(place).map(({ parameters, ...one }) => ({
        ...one,
        id: '',
        parameters: 'groupId' in parameters ? { ...parameters, groupId: groupOf(as) } : parameters,
      }));
    }
    world.flags[as] = copy;
    return true;
  },
  'order-strategies': (world, { name, environment, numbers }) => {
    const place = active(world, name)?.environments[environment];
    if (!place || place.strategies.length === 0) return false;
    for (const [at, strategy] of sortedStrategies(place).entries()) {
      strategy.sortOrder = numbers[at] ?? strategy.sortOrder;
    }
    return true;
  },
  'set-variants': (world, { name, environment, variants }) => {
    const place = active(world, name)?.environments[environment];
    if (!place) return false;
    const share = Math.floor(1_000 / variants.length);
    place.variants = variantsNamed(variants).map((variant, at) => ({
      ...variant,
      overrides: [],
      weight: share + (at < 1_000 % variants.length ? 1 : 0),
    }));
    return true;
  },
  tag: (world, { name, tag }) => {
    const flag = active(world, name);
    if (!flag || !tag.startsWith('simple:')) return false;
    flag.tags = [...new Set([...flag.tags, tag])].toSorted();
    return true;
  },
  untag: (world, { name, tag }) => {
    const flag = active(world, name);
    if (flag) flag.tags = flag.tags.filter(one => one !== tag);
    return flag !== undefined;
  },
  depend: (world, { name, parent, how }) => {
    const flag = active(world, name);
    const above = active(world, parent);
    if (!flag || !above || name === parent) return false;
    if (childrenOf(world, name).length > 0 || Object.keys(above.parents).length > 0) return false;
    flag.parents[parent] = how;
    return true;
  },
  undepend: (world, { name, parent }) => {
    const flag = active(world, name);
    if (!flag?.parents[parent]) return false;
    delete flag.parents[parent];
    return true;
  },
  'undepend-all': (world, { name }) => {
    const flag = active(world, name);
    if (flag) flag.parents = {};
    return flag !== undefined;
  },
  complete: (world, { name, status }) => {
    const flag = active(world, name);
    if (flag) flag.completed = status;
    return flag !== undefined;
  },
  uncomplete: (world, { name }) => {
    const flag = active(world, name);
    if (flag) flag.completed = null;
    return flag !== undefined;
  },
  'add-environment': (world, { environment }) => {
    if (environment === 'nowhere' || world.environments.includes(environment)) return false;
    world.environments = [...world.environments, environment].toSorted();
    for (const flag of Object.values(world.flags)) flag.environments[environment] = newPlace();
    return true;
  },
  'remove-environment': (world, { environment }) => {
    const flags = Object.values(world.flags);
    if (!world.environments.includes(environment) || world.environments.length === 1) return false;
    if (flags.some(flag => !flag.archived && flag.environments[environment]?.enabled)) return false;
    world.environments = world.environments.filter(name => name !== environment);
    delete world.defaults[environment];
    for (const flag of flags) delete flag.environments[environment];
    return true;
  },
  'set-default': (world, { environment, strategy }) => {
    if (!world.environments.includes(environment)) return false;
    const { title: _, ...rest } = strategy;
    world.defaults[environment] = {
      ...rest,
      ...titled(strategy),
      constraints: [],
      variants: [],
      segments: [],
    } as never;
    return true;
  },
};

const ON_FOR_ALL: StrategyInput = { name: 'flexibleRollout', title: null, disabled: false, parameters: {} };

function active(world: World, name: string): Flag | undefined {
  const flag = world.flags[name];
  return flag?.archived ? undefined : flag;
}

function forAll(world: World, names: string[], work: (flag: Flag) => void): boolean {
  const flags = names.map(name => world.flags[name]);
  if (!flags.every(flag => flag !== undefined)) return false;
  for (const flag of flags) work(flag);
  return true;
}

export const sortedStrategies = (place: Place): Strategy[] =>
  place.strategies.toSorted((a, b) => a.sortOrder - b.sortOrder);

/** A flag without an enabled strategy would be enabled for everyone, so it is disabled along with its last one. */
function disableIfUnguarded(place: Place): void {
  if (place.strategies.every(one => one.disabled)) place.enabled = false;
}

const sameContent = (one: Strategy[], other: Strategy[]): boolean => {
  const contents = (strategies: Strategy[]) =>
    strategies.toSorted((a, b) => a.sortOrder - b.sortOrder).map(({ id: _, ...content }) => content);
  return isDeepStrictEqual(contents(one), contents(other));
};

/** A missing title is an absent field. */
const titled = ({ title }: StrategyInput) => (typeof title === 'string' ? { title } : {});

/** A new strategy has no id yet. The response of the server contains it. */
function complete(input: StrategyInput, place: Place, groupId: string): Strategy {
  const last = Math.max(-1, ...place.strategies.map(one => one.sortOrder));
  const rollout = { rollout: '100', stickiness: 'default', groupId };
  return {
    id: '',
    name: input.name,
    ...titled(input),
    disabled: input.disabled,
    sortOrder: input.sortOrder ?? last + 1,
    parameters: { ...(input.name === 'flexibleRollout' ? rollout : {}), ...input.parameters },
    constraints: [],
    variants: [],
    segments: [],
  };
}
