import { readFile } from 'node:fs/promises';
import { usageError } from '../../../errors.ts';
import { type EnvironmentState, type FlagState, normalizeStrategy, normalizeVariant } from './state.ts';

export type FlagsFile = { project: string; flags: Record<string, FlagState> };

const MAX_BYTES = 8 * 1024 * 1024;

type Check = (value: unknown) => boolean;
const isString: Check = value => typeof value === 'string';
const isBoolean: Check = value => typeof value === 'boolean';
const isMap: Check = value => typeof value === 'object' && value !== null && !Array.isArray(value);
const isStringList: Check = value => Array.isArray(value) && value.every(isString);
const isMapList: Check = value => Array.isArray(value) && value.every(isMap);
const isNamedMapList: Check = value =>
  isMapList(value) && (value as { name?: unknown }[]).every(({ name }) => isString(name));

const FLAG_KEYS: Record<string, [Check, string]> = {
  type: [isString, 'a string'],
  description: [isString, 'a string'],
  stale: [isBoolean, 'true or false'],
  impressionData: [isBoolean, 'true or false'],
  tags: [isStringList, 'a list of type:value'],
  environments: [isMap, 'a map from names to states'],
};
const ENVIRONMENT_KEYS: Record<string, [Check, string]> = {
  enabled: [isBoolean, 'true or false'],
  strategies: [isNamedMapList, 'a list of strategies with a name'],
  variants: [isNamedMapList, 'a list of variants with a name'],
};
const STRATEGY_KEYS: Record<string, [Check, string]> = {
  name: [isString, 'a string'],
  title: [isString, 'a string'],
  disabled: [isBoolean, 'true or false'],
  parameters: [isMap, 'a map from names to values'],
  constraints: [isMapList, 'a list of constraints'],
  segments: [isStringList, 'a list of names'],
  variants: [isNamedMapList, 'a list of variants with a name'],
};

/** Checks the keys of a map, because a misspelled key would otherwise be ignored and its field would stay unchanged. */
function check(value: unknown, keys: Record<string, [Check, string]>, path: string): void {
  if (!isMap(value)) throw usageError(`${path} must be a map.`);
  for (const [key, field] of Object.entries(value as object)) {
    const expectation = Object.hasOwn(keys, key) ? keys[key] : undefined;
    if (!expectation)
      throw usageError(
        `${path} has an unknown key ${JSON.stringify(key)}. It can have ${Object.keys(keys).join(', ')}.`,
      );
    if (!expectation[0](field)) throw usageError(`${path}.${key} must be ${expectation[1]}.`);
  }
}

function checkEnvironment(value: unknown, path: string): void {
  check(value, ENVIRONMENT_KEYS, path);
  const { enabled, strategies } = value as EnvironmentState;
  for (const [index, strategy] of (strategies ?? []).entries())
    check(strategy, STRATEGY_KEYS, `${path}.strategies[${index}]`);
  // Rejected, because the server would add a strategy, so the flag would never match the file.
  if (enabled && strategies && !strategies.some(strategy => !strategy.disabled))
    throw usageError(
      `${path} is enabled and has no enabled strategy. Add one, such as {name: flexibleRollout, parameters: {rollout: 100}}.`,
    );
}

/** Reads the flags that a YAML or JSON file describes. */
export async function readFlagsFile(path: string): Promise<FlagsFile> {
  const text = await readFile(path, 'utf8').catch((error: Error) => {
    throw usageError(`Cannot read the file: ${error.message}`);
  });
  if (text.length > MAX_BYTES) throw usageError(`${path} is larger than 8 MiB.`, 'Split it by project.');
  const { parse } = await import('yaml');
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    throw usageError(
      `${path} is not valid YAML: ${(error as Error).message.split('\n')[0]?.replace(/:$/, '')}`,
    );
  }
  check(
    value,
    { project: [isString, 'the id of a project'], flags: [isMap, 'a map from names to flags'] },
    path,
  );
  const { project, flags } = value as Partial<FlagsFile>;
  if (!project || !flags)
    throw usageError(`${path} needs the keys project and flags.`, 'Begin with halyard flags export.');
  for (const [name, flag] of Object.entries(flags)) {
    check(flag, FLAG_KEYS, `flags.${name}`);
    for (const [environment, state] of Object.entries(flag.environments ?? {}))
      checkEnvironment(state, `flags.${name}.environments.${environment}`);
  }
  return {
    project,
    flags: Object.fromEntries(Object.entries(flags).map(([name, flag]) => [name, normalizeFlag(name, flag)])),
  };
}

function normalizeFlag(name: string, flag: FlagState): FlagState {
  const environments = Object.entries(flag.environments ?? {}).map(([environment, state]) => [
    environment,
    {
      ...state,
      ...(state.strategies && {
        strategies: state.strategies.map(strategy => normalizeStrategy(strategy, name)),
      }),
      ...(state.variants && { variants: state.variants.map(normalizeVariant) }),
    },
  ]);
  return {
    ...flag,
    ...(flag.tags && { tags: flag.tags.toSorted() }),
    ...(flag.environments && { environments: Object.fromEntries(environments) }),
  };
}
