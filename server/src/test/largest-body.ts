/** The subset of JSON Schema that the OpenAPI document uses. */
export type Schema = {
  type?: string | string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: boolean | Schema;
  anyOf?: Schema[];
  enum?: unknown[];
  examples?: unknown[];
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  maxItems?: number;
  maxProperties?: number;
  minimum?: number;
  maximum?: number;
};

export type Shape = {
  /** Either as many short values as fit, or strings that are as long as possible. */
  kind: 'many' | 'long';
  /** Replaces every string, number and boolean, to break as many rules as possible in one body. */
  wrong?: boolean;
};

const MIB = 1_048_576;
const MAX_ITEMS_PER_MIB = 50_000;
const MAX_ITEMS = 100_000;

/** Returns the largest body that fits a schema and that the parser accepts. */
export function largestBody(schema: Schema, shape: Shape, bodyLimit: number): string {
  const items = Math.min(MAX_ITEMS, (MAX_ITEMS_PER_MIB * bodyLimit) / MIB);
  let [low, high, best] = [0, 1, JSON.stringify(make(schema, shape, 0))];
  for (let step = 0; step < 6; step++) {
    const share = step === 0 ? 1 : (low + high) / 2;
    const body = build(schema, shape, share, items);
    if (body !== undefined && Buffer.byteLength(body) <= bodyLimit && countCommas(body) <= items) {
      best = body;
      low = share;
      if (share === 1) break;
    } else high = share;
  }
  return best;
}

/** Builds a body. To save work, it gives up and returns undefined if the body would be far above the limit. */
function build(schema: Schema, shape: Shape, share: number, items: number): string | undefined {
  remainingValues = items * 2;
  const value = make(schema, shape, share);
  return remainingValues < 0 ? undefined : JSON.stringify(value);
}

let remainingValues = Number.POSITIVE_INFINITY;
let serial = 0;

function make(schema: Schema, shape: Shape, share: number): unknown {
  remainingValues--;
  const type = [schema.type ?? []].flat().find(candidate => candidate !== 'null');
  if (schema.anyOf) return make(schema.anyOf[0] ?? {}, shape, share);
  if (type === 'object') return makeObject(schema, shape, share);
  if (type === 'array') return makeList(schema, shape, share);
  if (shape.wrong) return type === 'boolean' ? 'wrong' : false;
  if (schema.enum) return schema.enum[0];
  if (type === 'string') return makeString(schema, shape, share);
  if (type === 'integer' || type === 'number')
    return Math.max(schema.minimum ?? 0, Math.min(++serial, schema.maximum ?? Number.MAX_SAFE_INTEGER));
  if (type === 'boolean') return true;
  return shape.kind === 'long'
    ? 'x'.repeat(Math.floor(9_000 * share))
    : Array(Math.floor(480 * share)).fill(1);
}

function makeObject(schema: Schema, shape: Shape, share: number): object {
  const knownEntries = Object.entries(schema.properties ?? {}).map(([name, member]) => [
    name,
    make(member, shape, share),
  ]);
  const additionalSchema =
    typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
  const additionalCount = additionalSchema ? Math.floor((schema.maxProperties ?? 0) * share) : 0;
  const additional = Array.from({ length: additionalCount }, (_, index) => [
    `key${index}`,
    make(additionalSchema ?? {}, shape, share),
  ]);
  return Object.fromEntries([...knownEntries, ...additional]);
}

/** Builds a list. Lists of lists get the larger share of the remaining size, so that the search also finds the widest body. */
function makeList(schema: Schema, shape: Shape, share: number): unknown[] {
  const length = Math.max(1, Math.floor((schema.maxItems ?? 1) * share));
  const list: unknown[] = [];
  while (list.length < length && remainingValues > 0) list.push(make(schema.items ?? {}, shape, share));
  return list;
}

function makeString(schema: Schema, { kind }: Shape, share: number): string {
  if (schema.format === 'uuid') return `00000000-0000-4000-8000-${String(++serial).padStart(12, '0')}`;
  if (schema.format === 'date-time') return '2026-12-15T00:00:00.000Z';
  const max = schema.maxLength ?? 10;
  const number = String(++serial);
  const length = Math.max(schema.minLength ?? 1, Math.min(max, Math.floor(max * share)));
  const text = kind === 'long' ? `${'a'.repeat(Math.max(0, length - number.length))}${number}` : `a${number}`;
  const fits = (candidate: string) =>
    new RegExp(schema.pattern ?? '', 'u').test(candidate) && candidate.length <= max;
  return [text, `/${text}`.slice(0, max), 'a', ...(schema.examples ?? []).map(String)].find(fits) ?? text;
}

const countCommas = (json: string): number => json.split(',').length - 1;
