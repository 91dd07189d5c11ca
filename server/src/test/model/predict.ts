import { isDeepStrictEqual } from 'node:util';
import { type Command, type CommandOf, type Kind, makeVariants, type StrategyInput } from './commands.ts';
import {
  type Flag,
  type FlagEnvironment,
  listChildren,
  newFlag,
  newFlagEnvironment,
  type Strategy,
  type World,
} from './world.ts';

/**
 * Returns the world that a command should lead to, or `undefined` if the server must reject the command.
 */
export function predict(
  worldBefore: World,
  command: Command,
  getGroupId: (name: string) => string,
): World | undefined {
  const world = structuredClone(worldBefore);
  return PREDICT[command.kind](world, command as never, getGroupId) ? world : undefined;
}

type Predict<K extends Kind> = (
  world: World,
  command: CommandOf<K>,
  getGroupId: (name: string) => string,
) => boolean;

/** Each function changes the world and returns true, or returns false if the request must be rejected. */
const PREDICT: { [K in Kind]: Predict<K> } = {
  create: (world, { name, type, description }) => {
    if (world.flags[name]) return false;
    world.flags[name] = { ...newFlag(world.environments), type, description };
    return true;
  },
  update: (world, { name, update }) => {
    const flag = findActive(world, name);
    if (!flag) return false;
    Object.assign(flag, update);
    return true;
  },
  stale: (world, { names, stale }) => changeAll(world, names, flag => Object.assign(flag, { stale })),
  archive: (world, { names }) => {
    const remainingChildren = names
      .flatMap(name => listChildren(world, name))
      .filter(child => !names.includes(child));
    if (remainingChildren.length > 0) return false;
    return changeAll(world, names, flag => {
      if (!flag.archived) Object.assign(flag, { archived: true, parents: {} });
    });
  },
  revive: (world, { names }) =>
    changeAll(world, names, flag => {
      if (!flag.archived) return;
      Object.assign(flag, { archived: false, completed: null });
      for (const flagEnvironment of Object.values(flag.environments)) flagEnvironment.enabled = false;
    }),
  delete: (world, { names }) => {
    if (!names.every(name => world.flags[name]?.archived)) return false;
    for (const name of names) delete world.flags[name];
    return true;
  },
  toggle: (world, { names, environment, enabled }, getGroupId) => {
    const flagEnvironments = names.map(name => world.flags[name]?.environments[environment]);
    if (!flagEnvironments.every(flagEnvironment => flagEnvironment !== undefined)) return false;
    if (enabled && names.some(name => world.flags[name]?.archived)) return false;
    for (const [index, flagEnvironment] of flagEnvironments.entries()) {
      if (flagEnvironment.enabled === enabled) continue;
      flagEnvironment.enabled = enabled;
      if (!enabled || flagEnvironment.strategies.some(strategy => !strategy.disabled)) continue;
      const defaultStrategy = { ...(world.defaults[environment] ?? DEFAULT_STRATEGY), disabled: false };
      flagEnvironment.strategies.push(
        makeStrategy(defaultStrategy, flagEnvironment, getGroupId(names[index] ?? '')),
      );
    }
    return true;
  },
  'add-strategy': (world, { name, environment, strategy }, getGroupId) => {
    const flagEnvironment = findActive(world, name)?.environments[environment];
    flagEnvironment?.strategies.push(makeStrategy(strategy, flagEnvironment, getGroupId(name)));
    return flagEnvironment !== undefined;
  },
  'change-strategy': (world, { name, environment, index, strategy }, getGroupId) => {
    const flagEnvironment = findActive(world, name)?.environments[environment];
    const oldStrategy = flagEnvironment && listInOrder(flagEnvironment)[index];
    if (!oldStrategy) return false;
    const { id, sortOrder } = oldStrategy;
    const newStrategy = {
      ...makeStrategy({ sortOrder, ...strategy }, flagEnvironment, getGroupId(name)),
      id,
    };
    flagEnvironment.strategies = flagEnvironment.strategies.map(existing =>
      existing === oldStrategy ? newStrategy : existing,
    );
    disableIfUnguarded(flagEnvironment);
    return true;
  },
  'patch-strategy': (world, { name, environment, index, disabled }) => {
    const flagEnvironment = findActive(world, name)?.environments[environment];
    const oldStrategy = flagEnvironment && listInOrder(flagEnvironment)[index];
    if (!oldStrategy) return false;
    oldStrategy.disabled = disabled;
    disableIfUnguarded(flagEnvironment);
    return true;
  },
  'remove-strategy': (world, { name, environment, index }) => {
    const flagEnvironment = findActive(world, name)?.environments[environment];
    const removedStrategy = flagEnvironment && listInOrder(flagEnvironment)[index];
    if (!removedStrategy) return false;
    flagEnvironment.strategies = flagEnvironment.strategies.filter(strategy => strategy !== removedStrategy);
    disableIfUnguarded(flagEnvironment);
    return true;
  },
  'copy-environment': (world, { name, environment, from }) => {
    const flag = findActive(world, name);
    const [flagEnvironment, source] = [flag?.environments[environment], flag?.environments[from]];
    if (!flagEnvironment || !source || flagEnvironment === source) return false;
    if (!haveSameContent(source.strategies, flagEnvironment.strategies)) {
      flagEnvironment.strategies = listInOrder(source).map(strategy => ({ ...strategy, id: '' }));
      disableIfUnguarded(flagEnvironment);
    }
    flagEnvironment.variants = source.variants;
    return true;
  },
  import: (world, { name, environment, enabled, strategies }, getGroupId) => {
    if (!world.environments.includes(environment)) return false;
    const existingFlag = world.flags[name];
    if (existingFlag?.archived) return true;
    const flag = existingFlag ?? newFlag(world.environments);
    const flagEnvironment = flag.environments[environment] ?? newFlagEnvironment();
    const importedStrategies = strategies.map((strategy, sortOrder) =>
      makeStrategy({ ...strategy, sortOrder }, newFlagEnvironment(), getGroupId(name)),
    );
    if (!haveSameContent(flagEnvironment.strategies, importedStrategies))
      flagEnvironment.strategies = importedStrategies;
    flagEnvironment.enabled = enabled ?? flagEnvironment.enabled;
    disableIfUnguarded(flagEnvironment);
    world.flags[name] = flag;
    return true;
  },
  clone: (world, { name, copyName }, getGroupId) => {
    const source = findActive(world, name);
    if (!source || world.flags[copyName]) return false;
    const copy = {
      ...newFlag(world.environments),
      ...structuredClone(source),
      stale: false,
      completed: null,
    };
    for (const flagEnvironment of Object.values(copy.environments)) {
      flagEnvironment.enabled = false;
      flagEnvironment.strategies = listInOrder(flagEnvironment).map(({ parameters, ...otherFields }) => ({
        ...otherFields,
        id: '',
        parameters: 'groupId' in parameters ? { ...parameters, groupId: getGroupId(copyName) } : parameters,
      }));
    }
    world.flags[copyName] = copy;
    return true;
  },
  'order-strategies': (world, { name, environment, numbers }) => {
    const flagEnvironment = findActive(world, name)?.environments[environment];
    if (!flagEnvironment || flagEnvironment.strategies.length === 0) return false;
    for (const [index, strategy] of listInOrder(flagEnvironment).entries()) {
      strategy.sortOrder = numbers[index] ?? strategy.sortOrder;
    }
    return true;
  },
  'set-variants': (world, { name, environment, variants }) => {
    const flagEnvironment = findActive(world, name)?.environments[environment];
    if (!flagEnvironment) return false;
    const share = Math.floor(1_000 / variants.length);
    flagEnvironment.variants = makeVariants(variants).map((variant, index) => ({
      ...variant,
      overrides: [],
      weight: share + (index < 1_000 % variants.length ? 1 : 0),
    }));
    return true;
  },
  tag: (world, { name, tag }) => {
    const flag = findActive(world, name);
    if (!flag || !tag.startsWith('simple:')) return false;
    flag.tags = [...new Set([...flag.tags, tag])].toSorted();
    return true;
  },
  untag: (world, { name, tag }) => {
    const flag = findActive(world, name);
    if (flag) flag.tags = flag.tags.filter(other => other !== tag);
    return flag !== undefined;
  },
  depend: (world, { name, parent, requirement }) => {
    const flag = findActive(world, name);
    const parentFlag = findActive(world, parent);
    if (!flag || !parentFlag || name === parent) return false;
    if (listChildren(world, name).length > 0 || Object.keys(parentFlag.parents).length > 0) return false;
    flag.parents[parent] = requirement;
    return true;
  },
  undepend: (world, { name, parent }) => {
    const flag = findActive(world, name);
    if (!flag?.parents[parent]) return false;
    delete flag.parents[parent];
    return true;
  },
  'undepend-all': (world, { name }) => {
    const flag = findActive(world, name);
    if (flag) flag.parents = {};
    return flag !== undefined;
  },
  complete: (world, { name, status }) => {
    const flag = findActive(world, name);
    if (flag) flag.completed = status;
    return flag !== undefined;
  },
  uncomplete: (world, { name }) => {
    const flag = findActive(world, name);
    if (flag) flag.completed = null;
    return flag !== undefined;
  },
  'add-environment': (world, { environment }) => {
    if (environment === 'nowhere' || world.environments.includes(environment)) return false;
    world.environments = [...world.environments, environment].toSorted();
    for (const flag of Object.values(world.flags)) flag.environments[environment] = newFlagEnvironment();
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
      ...pickTitle(strategy),
      constraints: [],
      variants: [],
      segments: [],
    } as never;
    return true;
  },
};

const DEFAULT_STRATEGY: StrategyInput = {
  name: 'flexibleRollout',
  title: null,
  disabled: false,
  parameters: {},
};

function findActive(world: World, name: string): Flag | undefined {
  const flag = world.flags[name];
  return flag?.archived ? undefined : flag;
}

function changeAll(world: World, names: string[], work: (flag: Flag) => void): boolean {
  const flags = names.map(name => world.flags[name]);
  if (!flags.every(flag => flag !== undefined)) return false;
  for (const flag of flags) work(flag);
  return true;
}

export const listInOrder = (flagEnvironment: FlagEnvironment): Strategy[] =>
  flagEnvironment.strategies.toSorted((a, b) => a.sortOrder - b.sortOrder);

/** Disables a flag without an enabled strategy, because it would be enabled for everyone. */
function disableIfUnguarded(flagEnvironment: FlagEnvironment): void {
  if (flagEnvironment.strategies.every(strategy => strategy.disabled)) flagEnvironment.enabled = false;
}

const haveSameContent = (list: Strategy[], other: Strategy[]): boolean => {
  const contents = (strategies: Strategy[]) =>
    strategies.toSorted((a, b) => a.sortOrder - b.sortOrder).map(({ id: _, ...content }) => content);
  return isDeepStrictEqual(contents(list), contents(other));
};

/** Returns the title as a field, which is absent if there is no title. */
const pickTitle = ({ title }: StrategyInput) => (typeof title === 'string' ? { title } : {});

/** Creates a strategy from an input, without an id, because the server assigns it. */
function makeStrategy(input: StrategyInput, flagEnvironment: FlagEnvironment, groupId: string): Strategy {
  const lastSortOrder = Math.max(-1, ...flagEnvironment.strategies.map(strategy => strategy.sortOrder));
  const rollout = { rollout: '100', stickiness: 'default', groupId };
  return {
    id: '',
    name: input.name,
    ...pickTitle(input),
    disabled: input.disabled,
    sortOrder: input.sortOrder ?? lastSortOrder + 1,
    parameters: { ...(input.name === 'flexibleRollout' ? rollout : {}), ...input.parameters },
    constraints: [],
    variants: [],
    segments: [],
  };
}
