import { readFile } from 'node:fs/promises';
import { wrongUse } from '../../../errors.ts';
import { type EnvironmentState, type FlagState, tidyStrategy, tidyVariant } from './state.ts';

export type FlagsFile = { project: string; flags: Record<string, FlagState> };

const MAX_BYTES = 8 * 1024 * 1024;

type Check = (value: unknown) => boolean;
const isString: Check = value => typeof value === 'string';
const isBoolean: Check = value => typeof value === 'boolean';
const isMap: Check = value => typeof value === 'object' && value !== null && !Array.isArray(value);
const isStrings: Check = value => Array.isArray(value) && value.every(isString);
const isMaps: Check = value => Array.isArray(value) && value.every(isMap);
const isNamed: Check = value =>
  isMaps(value) && (value as { name?: unknown }[]).every(one => isString(one.name));

const FLAG: Record<string, [Check, string]> = {
  type: [isString, 'a string'],
  description: [isString, 'a string'],
  stale: [isBoolean, 'true or false'],
  impressionData: [isBoolean, 'true or false'],
  tags: [isStrings, 'a list of type:value'],
  environments: [isMap, 'a map from names to states'],
};
const ENVIRONMENT: Record<string, [Check, string]> = {
  enabled: [isBoolean, 'true or false'],
  strategies: [isNamed, 'a list of strategies with a name'],
  variants: [isNamed, 'a list of variants with a name'],
};
const STRATEGY: Record<string, [Check, string]> = {
  name: [isString, 'a string'],
  title: [isString, 'a string'],
  disabled: [isBoolean, 'true or false'],
  parameters: [isMap, 'a map from names to values'],
  constraints: [isMaps, 'a list of constraints'],
  segments: [isStrings, 'a list of names'],
  variants: [isNamed, 'a list of variants with a name'],
};

/** Without this check, a misspelled key would be ignored and its field would stay unchanged. */
function check(value: unknown, keys: Record<string, [Check, string]>, where: string): void {
  if (!isMap(value)) throw wrongUse(`${where} must be a map.`);
  for (const [key, one] of Object.entries(value as object)) {
    const known = Object.hasOwn(keys, key) ? keys[key] : undefined;
    if (!known)
      throw wrongUse(
        `${where} has an unknown key ${JSON.stringify(key)}. It can have ${Object.keys(keys).join(', ')}.`,
      );
    if (!known[0](one)) throw wrongUse(`${where}.${key} must be ${known[1]}.`);
  }
}

function checkEnvironment(value: unknown, where: string): void {
  check(value, ENVIRONMENT, where);
  const { enabled, strategies } = value as EnvironmentState;
  for (const [n, one] of (strategies ?? []).entries()) check(one, STRATEGY, `${where}.strategies[${n}]`);
  // The server would add a strategy, so the flag would never match the file.
  if (enabled && strategies && !strategies.some(one => !one.disabled))
    throw wrongUse(
      `${where} is enabled and has no enabled strategy. Add one, such as {name: flexibleRollout, parameters: {rollout: 100}}.`,
    );
}

/** The flags that a YAML or JSON file describes. */
export async function readFlagsFile(path: string): Promise<FlagsFile> {
  const text = await readFile(path, 'utf8').catch((error: Error) => {
    throw wrongUse(`Cannot read the file: ${error.message}`);
  });
  if (text.length > MAX_BYTES) throw wrongUse(`${path} is larger than 8 MiB.`, 'Split it by project.');
  const { parse } = await import('yaml');
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    throw wrongUse(
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
    throw wrongUse(`${path} needs the keys project and flags.`, 'Begin with halyard flags export.');
  for (const [name, flag] of Object.entries(flags)) {
    check(flag, FLAG, `flags.${name}`);
    for (const [environment, state] of Object.entries(flag.environments ?? {}))
      checkEnvironment(state, `flags.${name}.environments.${environment}`);
  }
  return {
    project,
    flags: Object.fromEntries(Object.entries(flags).map(([name, flag]) => [name, tidyFlag(name, flag)])),
  };
}

function tidyFlag(name: string, flag: FlagState): FlagState {
  const environments = Object.entries(flag.environments ?? {}).map(([environment, state]) => [
    environment,
    {
      ...state,
      ...(state.strategies && { strategies: state.strategies.map(one => tidyStrategy(one, name)) }),
      ...(state.variants && { variants: state.variants.map(tidyVariant) }),
    },
  ]);
  return {
    ...flag,
    ...(flag.tags && { tags: flag.tags.toSorted() }),
    ...(flag.environments && { environments: Object.fromEntries(environments) }),
  };
}
