/** The shape of a value: its type, several types separated by `|`, the fields of an object, or the shape of an array's items. */
export type Shape = string | { [field: string]: Shape } | Shape[];

/** Objects whose field names are data. */
const OPAQUE: ReadonlySet<string> = new Set(['data', 'preData', 'properties', 'paths', 'components']);

/** Fields that are written in the background, so whether they have a value depends on the speed of the server. */
const BACKGROUND: ReadonlySet<string> = new Set(['lastSeenAt']);

/** Returns the names and types of a response, without its values. */
export function toShape(value: unknown): Shape {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return value.length === 0 ? [] : [value.map(toShape).reduce(merge)];
  if (typeof value !== 'object') return typeof value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([field], [other]) => (field < other ? -1 : 1))
      .map(([field, item]) => [
        field,
        BACKGROUND.has(field) ? 'null' : OPAQUE.has(field) ? toShallowShape(item) : toShape(item),
      ]),
  );
}

const toShallowShape = (value: unknown): Shape =>
  Array.isArray(value) ? [] : value === null ? 'null' : typeof value === 'object' ? {} : typeof value;

/** Returns the shape of values that have one of two shapes. A field that only some have is marked with a question mark. */
function merge(current: Shape, other: Shape): Shape {
  if (typeof current === 'string' && typeof other === 'string')
    return [...new Set([...current.split('|'), ...other.split('|')])].toSorted().join('|');
  if (Array.isArray(current) && Array.isArray(other)) {
    const [first, second] = [current[0], other[0]];
    return first === undefined ? other : second === undefined ? current : [merge(first, second)];
  }
  if (isFields(current) && isFields(other)) {
    const names = new Set(
      [...Object.keys(current), ...Object.keys(other)].map(name => name.replace('?', '')),
    );
    return Object.fromEntries(
      [...names].toSorted().map(name => {
        const [a, b] = [current[name] ?? current[`${name}?`], other[name] ?? other[`${name}?`]];
        const isAlwaysPresent = current[name] !== undefined && other[name] !== undefined;
        const shape = a === undefined ? b : b === undefined ? a : merge(a, b);
        return [isAlwaysPresent ? name : `${name}?`, shape ?? 'null'];
      }),
    );
  }
  // An object that is sometimes null keeps its fields.
  return current === 'null' ? other : current;
}

const isFields = (shape: Shape): shape is { [field: string]: Shape } =>
  typeof shape === 'object' && !Array.isArray(shape);

/** Yields what a client that reads the first shape misses in the second shape. Additional fields do not matter. */
export function* findDifferences(expected: Shape, actual: Shape, path = ''): Generator<string> {
  if (expected === 'null' || (actual === 'null' && includesNull(expected))) return;
  if (typeof expected === 'string') {
    const expectedTypes = expected.split('|');
    const actualTypes = typeof actual === 'string' ? actual.split('|') : [getKind(actual)];
    const unexpectedTypes = actualTypes.filter(type => !expectedTypes.includes(type));
    if (unexpectedTypes.length > 0)
      yield `${path || 'body'}: ${unexpectedTypes.join(', ')} instead of ${expectedTypes.join(' or ')}`;
    return;
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual)) return yield `${path || 'body'}: ${getKind(actual)} instead of array`;
    const [expectedItem, actualItem] = [expected[0], actual[0]];
    if (expectedItem !== undefined && actualItem !== undefined)
      yield* findDifferences(expectedItem, actualItem, `${path}[]`);
    return;
  }
  if (!isFields(actual)) return yield `${path || 'body'}: ${getKind(actual)} instead of object`;
  for (const [markedName, shape] of Object.entries(expected)) {
    const name = markedName.replace('?', '');
    const fieldPath = `${path}.${name}`;
    const actualShape = actual[name] ?? actual[`${name}?`];
    if (actualShape !== undefined) yield* findDifferences(shape, actualShape, fieldPath);
    else if (!markedName.endsWith('?'))
      yield `${fieldPath}: ${shape === 'null' ? 'absent instead of null' : 'missing'}`;
  }
}

const includesNull = (shape: Shape): boolean =>
  typeof shape === 'string' && shape.split('|').includes('null');

const getKind = (shape: Shape): string =>
  typeof shape === 'string' ? shape : Array.isArray(shape) ? 'array' : 'object';
