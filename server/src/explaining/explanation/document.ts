/** A constraint as SDKs get it. */
export type Constraint = {
  contextName: string;
  operator: string;
  values?: string[];
  value?: string;
  inverted?: boolean;
  caseInsensitive?: boolean;
};

export type Payload = { type: string; value: string };

export type Override = { contextName: string; values: string[] };

export type Variant = {
  name: string;
  weight: number;
  weightType?: string;
  stickiness?: string | null;
  payload?: Payload;
  overrides?: Override[];
};

export type Strategy = {
  name: string;
  parameters?: Record<string, string>;
  constraints?: Constraint[];
  segments?: number[];
  variants?: Variant[];
};

export type Dependency = { feature: string; enabled?: boolean; variants?: string[] };

/** A feature as SDKs get it. */
export type Feature = {
  name: string;
  project?: string;
  enabled: boolean;
  strategies?: Strategy[];
  variants?: Variant[];
  dependencies?: Dependency[];
};

export type Segment = { id: number; name?: string; constraints?: Constraint[] };

/** Everything that an SDK gets for one environment. */
export type Documents = {
  features: ReadonlyMap<string, Feature>;
  segments: ReadonlyMap<number, Segment>;
};
