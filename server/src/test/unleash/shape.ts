/** A type, the types of a value that had several, the fields of an object, or the shape of the items of an array. */
export type Shape = string | { [field: string]: Shape } | Shape[];

/** Their fields are data. */
const OPAQUE: ReadonlySet<string> = new Set(['data', 'preData', 'properties', 'paths', 'components']);

/** Written in the background, so whether they have a value depends on the speed of the server. */
const BACKGROUND: ReadonlySet<string> = new Set(['lastSeenAt']);

/** The names and types of a response, without its values. */
export function shapeOf(value: unknown): Shape {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return value.length === 0 ? [] : [value.map(shapeOf).reduce(merged)];
  if (typeof value !== 'object') return typeof value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([field, item]) => [
        field,
        BACKGROUND.has(field) ? 'null' : OPAQUE.has(field) ? shallow(item) : shapeOf(item),
      ]),
  );
}

const shallow = (value: unknown): Shape =>
  Array.isArray(value) ? [] : value === null ? 'null' : typeof value === 'object' ? {} : typeof value;

/** The shape of values that have one of two shapes. A field that only some have is marked with a question mark. */
function merged(one: Shape, other: Shape): Shape {
  if (typeof one === 'string' && typeof other === 'string')
    return [...new Set([...one.split('|'), ...other.split('|')])].toSorted().join('|');
  if (Array.isArray(one) && Array.isArray(other)) {
    const [first, second] = [one[0], other[0]];
    return first === undefined ? other : second === undefined ? one : [merged(first, second)];
  }
  if (isFields(one) && isFields(other)) {
    const names = new Set([...Object.keys(one), ...Object.keys(other)].map(name => name.replace('?', '')));
    return Object.fromEntries(
      [...names].toSorted().map(name => {
        const [a, b] = [one[name] ?? one[`${name}?`], other[name] ?? other[`${name}?`]];
        const always = one[name] !== undefined && other[name] !== undefined;
        const shape = a === undefined ? b : b === undefined ? a : merged(a, b);
        return [always ? name : `${name}?`, shape ?? 'null'];
      }),
    );
  }
  // An object that is sometimes null keeps its fields.
  return one === 'null' ? other : one;
}

const isFields = (shape: Shape): shape is { [field: string]: Shape } =>
  typeof shape === 'object' && !Array.isArray(shape);

/** What a client that reads the first shape misses in the second. Additional fields do not matter. */
export function* differences(expected: Shape, actual: Shape, at = ''): Generator<string> {
  if (expected === 'null' || (actual === 'null' && includesNull(expected))) return;
  if (typeof expected === 'string') {
    const allowed = expected.split('|');
    const found = typeof actual === 'string' ? actual.split('|') : [kindOf(actual)];
    const others = found.filter(type => !allowed.includes(type));
    if (others.length > 0) yield `${at || 'body'}: ${others.join(', ')} instead of ${allowed.join(' or ')}`;
    return;
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual)) return yield `${at || 'body'}: ${kindOf(actual)} instead of array`;
    const [item, found] = [expected[0], actual[0]];
    if (item !== undefined && found !== undefined) yield* differences(item, found, `${at}[]`);
    return;
  }
  if (!isFields(actual)) return yield `${at || 'body'}: ${kindOf(actual)} instead of object`;
  for (const [marked, shape] of Object.entries(expected)) {
    const name = marked.replace('?', '');
    const place = `${at}.${name}`;
    const found = actual[name] ?? actual[`${name}?`];
    if (found !== undefined) yield* differences(shape, found, place);
    else if (!marked.endsWith('?'))
      yield `${place}: ${shape === 'null' ? 'absent instead of null' : 'missing'}`;
  }
}

const includesNull = (shape: Shape): boolean =>
  typeof shape === 'string' && shape.split('|').includes('null');

const kindOf = (shape: Shape): string =>
  typeof shape === 'string' ? shape : Array.isArray(shape) ? 'array' : 'object';
