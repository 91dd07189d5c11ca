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

type Asked = {
  create: { name: string; type: string; description: string | null };
  update: { name: string; update: Update };
  stale: { names: string[]; stale: boolean };
  archive: { names: string[] };
  revive: { names: string[] };
  delete: { names: string[] };
  toggle: { names: string[]; environment: string; enabled: boolean };
  'add-strategy': { name: string; environment: string; strategy: StrategyInput };
  'change-strategy': { name: string; environment: string; at: number; strategy: StrategyInput };
  'patch-strategy': { name: string; environment: string; at: number; disabled: boolean };
  'remove-strategy': { name: string; environment: string; at: number };
  'copy-environment': { name: string; environment: string; from: string };
  import: {
    name: string;
    environment: string;
    enabled: boolean | undefined;
    strategies: Omit<StrategyInput, 'sortOrder'>[];
  };
  clone: { name: string; as: string };
  'order-strategies': { name: string; environment: string; numbers: number[] };
  'set-variants': { name: string; environment: string; variants: string[] };
  tag: { name: string; tag: string };
  untag: { name: string; tag: string };
  depend: { name: string; parent: string; how: Parent };
  undepend: { name: string; parent: string };
  'undepend-all': { name: string };
  complete: { name: string; status: 'kept' | 'discarded' };
  uncomplete: { name: string };
  'add-environment': { environment: string };
  'remove-environment': { environment: string };
  'set-default': { environment: string; strategy: StrategyInput };
};
export type Kind = keyof Asked;
export type CommandOf<K extends Kind> = { kind: K } & Asked[K];

/** Everything that can be requested for the flags of a project, sensible or not. */
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
const at = fc.nat({ max: 2 });
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

const asked = <K extends Kind>(
  kind: K,
  weight: number,
  fields: { [F in keyof Asked[K]]: fc.Arbitrary<Asked[K][F]> },
) => ({ weight, arbitrary: fc.record(fields).map(values => ({ kind, ...values }) as unknown as Command) });

const how: fc.Arbitrary<Parent> = fc.oneof(
  fc.record({ enabled: fc.boolean(), variants: fc.constant<string[]>([]) }),
  fc.record({ enabled: fc.constant(true), variants: fc.constant<string[]>(['x']) }),
);

export const command: fc.Arbitrary<Command> = fc.oneof(
  asked('create', 5, { name, type, description }),
  asked('update', 2, {
    name,
    update: fc.record(
      { type, description, impressionData: fc.boolean(), stale: fc.boolean() },
      { requiredKeys: [] },
    ),
  }),
  asked('stale', 1, { names, stale: fc.boolean() }),
  asked('archive', 1, { names }),
  asked('revive', 1, { names }),
  asked('delete', 1, { names }),
  asked('toggle', 3, {
    names: fc.oneof(
      name.map(one => [one]),
      names,
    ),
    environment,
    enabled: fc.boolean(),
  }),
  asked('add-strategy', 3, { name, environment, strategy }),
  asked('change-strategy', 2, { name, environment, at, strategy }),
  asked('patch-strategy', 2, { name, environment, at, disabled: fc.boolean() }),
  asked('remove-strategy', 1, { name, environment, at }),
  asked('copy-environment', 1, { name, environment, from: environment }),
  asked('import', 2, {
    name,
    environment,
    enabled: fc.option(fc.boolean(), { nil: undefined }),
    strategies: fc.array(
      strategy.map(({ sortOrder: _, ...one }) => one),
      { maxLength: 2 },
    ),
  }),
  asked('clone', 1, { name, as: name }),
  asked('order-strategies', 2, {
    name,
    environment,
    numbers: fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 3 }),
  }),
  asked('set-variants', 2, { name, environment, variants: fc.subarray(['x', 'y', 'z']) }),
  asked('tag', 2, { name, tag }),
  asked('untag', 1, { name, tag }),
  asked('depend', 3, { name, parent: name, how }),
  asked('undepend', 1, { name, parent: name }),
  asked('undepend-all', 1, { name }),
  asked('complete', 1, { name, status: fc.constantFrom('kept', 'discarded') }),
  asked('uncomplete', 1, { name }),
  asked('add-environment', 1, { environment }),
  asked('remove-environment', 1, { environment }),
  asked('set-default', 1, { environment, strategy }),
);

export const variantsCalled = (called: string[]): Variant[] =>
  called.map(one => ({ name: one, weight: 0, weightType: 'variable', stickiness: 'default' }));
