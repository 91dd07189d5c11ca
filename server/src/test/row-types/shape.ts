/** The recorded shape of a value: how often each kind occurred, and the shapes of the contents. */
export type Shape = {
  /**
   * Counts by kind: `null`, `string`, `number`, `boolean`, `array`, `object`, or a class name such as `Date`. A count is 0 if
   * PostgreSQL described the column that way, but no row had a value.
   */
  kinds: Record<string, number>;
  /** Some of the short strings, to compare with a union of literals. */
  strings?: string[];
  items?: Shape;
  properties?: Record<string, Shape>;
  /** The table columns from which the value was read unchanged, as `table oid.column number`. */
  columns?: string[];
};

const MAX_ITEMS = 100;
const MAX_STRINGS = 30;
const MAX_STRING_LENGTH = 30;

export const emptyShape = (): Shape => ({ kinds: {} });

/** Adds a value that the driver returned. */
export function observe(shape: Shape, value: unknown): void {
  const kind = getKind(value);
  count(shape, kind, 1);
  if (typeof value === 'string') addString(shape, value);
  if (Array.isArray(value)) {
    for (const item of value.slice(0, MAX_ITEMS)) observe(getItemShape(shape), item);
  }
  if (kind === 'object') {
    for (const [name, property] of Object.entries(value as object))
      observe(getPropertyShape(shape, name), property);
  }
}

/** Merges a shape that another test file has recorded. */
export function merge(shape: Shape, other: Shape): void {
  for (const [kind, valueCount] of Object.entries(other.kinds)) count(shape, kind, valueCount);
  for (const text of other.strings ?? []) addString(shape, text);
  for (const column of other.columns ?? []) addColumn(shape, column);
  if (other.items) merge(getItemShape(shape), other.items);
  for (const [name, property] of Object.entries(other.properties ?? {})) {
    merge(getPropertyShape(shape, name), property);
  }
}

export function count(shape: Shape, kind: string, valueCount: number): void {
  shape.kinds[kind] = (shape.kinds[kind] ?? 0) + valueCount;
}

export function addColumn(shape: Shape, column: string): void {
  shape.columns ??= [];
  if (!shape.columns.includes(column)) shape.columns.push(column);
}

export function getItemShape(shape: Shape): Shape {
  shape.items ??= emptyShape();
  return shape.items;
}

export function getPropertyShape(shape: Shape, name: string): Shape {
  // The object has no prototype, because users' JSON can have a property named `constructor`.
  shape.properties ??= Object.create(null) as Record<string, Shape>;
  shape.properties[name] ??= emptyShape();
  return shape.properties[name];
}

/** Returns how many values were seen, including null. */
export const countValues = ({ kinds }: Shape): number => Object.values(kinds).reduce((sum, n) => sum + n, 0);

function getKind(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value !== 'object') return typeof value;
  // A row and a parsed JSON object are plain objects, but a Date or a Buffer is not.
  return value?.constructor === Object ? 'object' : (value?.constructor.name ?? 'object');
}

function addString(shape: Shape, text: string): void {
  shape.strings ??= [];
  const isNew = text.length <= MAX_STRING_LENGTH && !shape.strings.includes(text);
  if (isNew && shape.strings.length < MAX_STRINGS) shape.strings.push(text);
}
