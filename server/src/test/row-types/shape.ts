/** The recorded shape of a value: how often it had each kind, and the shapes of its contents. */
export type Shape = {
  /**
   * By kind: `null`, `string`, `number`, `boolean`, `array`, `object`, or the name of a class such as `Date`. The count is 0 if
   * PostgreSQL described the column that way, but no row had a value.
   */
  kinds: Record<string, number>;
  /** Some of the short strings, to compare with a union of literals. */
  strings?: string[];
  items?: Shape;
  properties?: Record<string, Shape>;
  /** The table columns that the value was read from without change, as `table oid.column number`. */
  columns?: string[];
};

const MAX_ITEMS = 100;
const MAX_STRINGS = 30;
const LONGEST_STRING = 30;

export const emptyShape = (): Shape => ({ kinds: {} });

/** Adds one value, as the driver returned it, to what was seen. */
export function observe(shape: Shape, value: unknown): void {
  const kind = kindOf(value);
  count(shape, kind, 1);
  if (typeof value === 'string') addString(shape, value);
  if (Array.isArray(value)) {
    for (const item of value.slice(0, MAX_ITEMS)) observe(itemsOf(shape), item);
  }
  if (kind === 'object') {
    for (const [name, property] of Object.entries(value as object))
      observe(propertyOf(shape, name), property);
  }
}

/** Adds what another test file has seen. */
export function merge(shape: Shape, other: Shape): void {
  for (const [kind, times] of Object.entries(other.kinds)) count(shape, kind, times);
  for (const text of other.strings ?? []) addString(shape, text);
  for (const column of other.columns ?? []) addColumn(shape, column);
  if (other.items) merge(itemsOf(shape), other.items);
  for (const [name, property] of Object.entries(other.properties ?? {})) {
    merge(propertyOf(shape, name), property);
  }
}

export function count(shape: Shape, kind: string, times: number): void {
  shape.kinds[kind] = (shape.kinds[kind] ?? 0) + times;
}

export function addColumn(shape: Shape, column: string): void {
  shape.columns ??= [];
  if (!shape.columns.includes(column)) shape.columns.push(column);
}

export function itemsOf(shape: Shape): Shape {
  shape.items ??= emptyShape();
  return shape.items;
}

export function propertyOf(shape: Shape, name: string): Shape {
  // Without a prototype, because users' JSON can have a property named `constructor`.
  shape.properties ??= Object.create(null) as Record<string, Shape>;
  shape.properties[name] ??= emptyShape();
  return shape.properties[name];
}

/** How many values were seen, including null. */
export const timesSeen = ({ kinds }: Shape): number => Object.values(kinds).reduce((sum, n) => sum + n, 0);

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value !== 'object') return typeof value;
  // A row and a parsed JSON object are plain; a Date or a Buffer is not.
  return value?.constructor === Object ? 'object' : (value?.constructor.name ?? 'object');
}

function addString(shape: Shape, text: string): void {
  shape.strings ??= [];
  const isNew = text.length <= LONGEST_STRING && !shape.strings.includes(text);
  if (isNew && shape.strings.length < MAX_STRINGS) shape.strings.push(text);
}
