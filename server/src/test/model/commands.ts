import fc from 'fast-check';
import type { Parent, Strategy, Variant } from './world.ts';

export const NAMES = ['a', 'b', 'c', 'd'];

export type StrategyInput = Pick<Strategy, 'name' | 'disabled' | 'parameters'> & {
  title?: string | null;
  sortOrder?: number;
};
export type Update = {
  type?: string;
  description?: string | null;
  impressionData?: boolean;
  stale?: boolean;
};

type Inputs = {
  create: { name: string; type: string; description: string | null };
  update: { name: string; update: Update };
  stale: { names: string[]; stale: boolean };
  archive: { names: string[] };
  revive: { names: string[] };
  delete: { names: string[] };
  toggle: { names: string[]; environment: string; enabled: boolean };
  'add-strategy': { name: string; environment: string; strategy: StrategyInput };
  'change-strategy': { name: string; environment: string; index: number; strategy: StrategyInput };
  'patch-strategy': { name: string; environment: string; index: number; disabled: boolean };
  'remove-strategy': { name: string; environment: string; index: number };
  'copy-environment': { name: string; environment: string; from: string };
  import: {
    name: string;
    environment: string;
    enabled: boolean | undefined;
    strategies: Omit<StrategyInput, 'sortOrder'>[];
  };
  clone: { name: string; copyName: string };
  'order-strategies': { name: string; environment: string; numbers: number[] };
  'set-variants': { name: string; environment: string; variants: string[] };
  tag: { name: string; tag: string };
  untag: { name: string; tag: string };
  depend: { name: string; parent: string; requirement: Parent };
  undepend: { name: string; parent: string };
  'undepend-all': { name: string };
  complete: { name: string; status: 'kept' | 'discarded' };
  uncomplete: { name: string };
  'add-environment': { environment: string };
  'remove-environment': { environment: string };
  'set-default': { environment: string; strategy: StrategyInput };
};
export type Kind = keyof Inputs;
export type CommandOf<K extends Kind> = { kind: K } & Inputs[K];

/** Every command that can be sent for a project's flags, valid or not. */
export type Command = { [K in Kind]: CommandOf<K> }[Kind];

const name = fc.constantFrom(...NAMES);
const names = fc.subarray(NAMES, { minLength: 1, maxLength: 3 });
const environment = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom('development', 'production') },
  { weight: 2, arbitrary: fc.constantFrom('staging', 'nowhere') },
);
const type = fc.constantFrom('release', 'experiment', 'kill-switch');
const description = fc.option(fc.constantFrom('one', 'two'), { nil: null });
const tag = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('simple:blue', 'simple:red') },
  { weight: 1, arbitrary: fc.constant('no-such-type:blue') },
);
const index = fc.nat({ max: 2 });
const strategy: fc.Arbitrary<StrategyInput> = fc.record(
  {
    name: fc.constantFrom('flexibleRollout', 'default', 'remoteAddress'),
    title: fc.option(fc.constantFrom('first', 'second'), { nil: null }),
    disabled: fc.boolean(),
    parameters: fc.constantFrom({}, { rollout: '25' }, { stickiness: 'userId', groupId: 'g' }),
    sortOrder: fc.nat({ max: 3 }),
  },
  { requiredKeys: ['name', 'title', 'disabled', 'parameters'] },
);

const weighted = <K extends Kind>(
  kind: K,
  weight: number,
  fields: { [F in keyof Inputs[K]]: fc.Arbitrary<Inputs[K][F]> },
) => ({ weight, arbitrary: fc.record(fields).map(values => ({ kind, ...values }) as unknown as Command) });

const requirement: fc.Arbitrary<Parent> = fc.oneof(
  fc.record({ enabled: fc.boolean(), variants: fc.constant<string[]>([]) }),
  fc.record({ enabled: fc.constant(true), variants: fc.constant<string[]>(['x']) }),
);

export const command: fc.Arbitrary<Command> = fc.oneof(
  weighted('create', 5, { name, type, description }),
  weighted('update', 2, {
    name,
    update: fc.record(
      { type, description, impressionData: fc.boolean(), stale: fc.boolean() },
      { requiredKeys: [] },
    ),
  }),
  weighted('stale', 1, { names, stale: fc.boolean() }),
  weighted('archive', 1, { names }),
  weighted('revive', 1, { names }),
  weighted('delete', 1, { names }),
  weighted('toggle', 3, {
    names: fc.oneof(
      name.map(flagName => [flagName]),
      names,
    ),
    environment,
    enabled: fc.boolean(),
  }),
  weighted('add-strategy', 3, { name, environment, strategy }),
  weighted('change-strategy', 2, { name, environment, index, strategy }),
  weighted('patch-strategy', 2, { name, environment, index, disabled: fc.boolean() }),
  weighted('remove-strategy', 1, { name, environment, index }),
  weighted('copy-environment', 1, { name, environment, from: environment }),
  weighted('import', 2, {
    name,
    environment,
    enabled: fc.option(fc.boolean(), { nil: undefined }),
    strategies: fc.array(
      strategy.map(({ sortOrder: _, ...otherFields }) => otherFields),
      { maxLength: 2 },
    ),
  }),
  weighted('clone', 1, { name, copyName: name }),
  weighted('order-strategies', 2, {
    name,
    environment,
    numbers: fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 3 }),
  }),
  weighted('set-variants', 2, { name, environment, variants: fc.subarray(['x', 'y', 'z']) }),
  weighted('tag', 2, { name, tag }),
  weighted('untag', 1, { name, tag }),
  weighted('depend', 3, { name, parent: name, requirement }),
  weighted('undepend', 1, { name, parent: name }),
  weighted('undepend-all', 1, { name }),
  weighted('complete', 1, { name, status: fc.constantFrom('kept', 'discarded') }),
  weighted('uncomplete', 1, { name }),
  weighted('add-environment', 1, { environment }),
  weighted('remove-environment', 1, { environment }),
  weighted('set-default', 1, { environment, strategy }),
);

export const makeVariants = (names: string[]): Variant[] =>
  names.map(name => ({ name, weight: 0, weightType: 'variable', stickiness: 'default' }));
