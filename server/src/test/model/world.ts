/** The simplest model of a project and its flags, for comparison with the server's state. */
export type World = {
  environments: string[];
  defaults: Record<string, Strategy>;
  flags: Record<string, Flag>;
};

export type Flag = {
  type: string;
  description: string | null;
  impressionData: boolean;
  stale: boolean;
  archived: boolean;
  completed: 'kept' | 'discarded' | null;
  tags: string[];
  parents: Record<string, Parent>;
  environments: Record<string, FlagEnvironment>;
};
export type Parent = { enabled: boolean; variants: string[] };
/** Strategies are in the order in which they were added. `sortStrategies` puts them in evaluation order. */
export type FlagEnvironment = { enabled: boolean; variants: Variant[]; strategies: Strategy[] };
export type Strategy = {
  id: string;
  name: string;
  title?: string;
  disabled: boolean;
  sortOrder: number;
  parameters: Record<string, string>;
  constraints: object[];
  variants: object[];
  segments: number[];
};
export type Variant = {
  name: string;
  weight: number;
  weightType: 'variable';
  stickiness: string;
  overrides?: [];
};

export const newFlagEnvironment = (): FlagEnvironment => ({ enabled: false, variants: [], strategies: [] });

export function newFlag(environments: string[]): Flag {
  return {
    type: 'release',
    description: null,
    impressionData: false,
    stale: false,
    archived: false,
    completed: null,
    tags: [],
    parents: {},
    environments: Object.fromEntries(environments.map(name => [name, newFlagEnvironment()])),
  };
}

/** Sorts strategies as the server does: by sort order, then in the order in which they were added. */
export function sortStrategies(world: World): World {
  const copy = structuredClone(world);
  for (const flag of Object.values(copy.flags)) {
    for (const flagEnvironment of Object.values(flag.environments)) {
      flagEnvironment.strategies = flagEnvironment.strategies.toSorted((a, b) => a.sortOrder - b.sortOrder);
    }
  }
  return copy;
}

export const listChildren = (world: World, parent: string): string[] =>
  Object.keys(world.flags).filter(name => world.flags[name]?.parents[parent]);
