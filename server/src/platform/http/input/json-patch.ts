import { isDeepStrictEqual } from 'node:util';

/** One operation of a JSON Patch (RFC 6902). */
export type PatchOperation = {
  op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test';
  path: string;
  from?: string;
  value?: unknown;
};

/**
 * A JSON Pointer (RFC 6901) without control characters, which no key of a body may contain. Each string matches in only one way,
 * so a hostile pointer costs linear time.
 */
export const POINTER = '^(/([^~/\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]|~[01])*)*$';

/** Characters of the document plus all that the operations add or copy: twice the largest body. */
const MAX_SIZE = 2_097_152;
/** The depth that a body may have. */
const MAX_DEPTH = 32;

/** The reason why an operation cannot be applied; `at` is its index. */
export class PatchFailure extends Error {
  readonly at: number;

  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

type Container = Record<string, unknown> | unknown[];
type Target = { parent: Container; key: string };
type Budget = { left: number };

/**
 * Applies the operations in order, in place, and returns the document. Stops at the first operation that fails. The
 * budget bounds the work: 22 copies of a document into itself took 3.1 s without one, and 30 exhausted the heap.
 */
export function applyOperations(document: unknown, operations: readonly PatchOperation[]): unknown {
  // The holder is the parent of the whole document, which the pointer "" names.
  const holder = { '': document };
  const budget: Budget = { left: MAX_SIZE };
  let at = 0;
  try {
    spend(budget, document, 0);
    for (; at < operations.length; at++) applyOne(holder, operations[at] as PatchOperation, budget);
  } catch (error) {
    if (error instanceof Rejection) throw new PatchFailure(at, error.message);
    throw error;
  }
  return holder[''];
}

class Rejection extends Error {}

function applyOne(holder: Container, operation: PatchOperation, budget: Budget): void {
  const { op, path, value } = operation;
  if (op === 'move' || op === 'copy') {
    transfer(holder, operation, budget);
    return;
  }
  const tokens = tokensOf(path);
  if (op === 'add' || op === 'replace') spend(budget, value, tokens.length - 1);
  const target = locate(holder, tokens, path);
  if (op === 'add') add(target, value, path);
  else if (op === 'replace') replace(target, value, path);
  else if (op === 'remove') remove(target, path);
  else if (!isDeepStrictEqual(valueAt(target, path), value))
    throw new Rejection(`the value at "${path}" is different`);
}

function transfer(holder: Container, { op, path, from = '' }: PatchOperation, budget: Budget): void {
  const [tokens, fromTokens] = [tokensOf(path), tokensOf(from)];
  const source = locate(holder, fromTokens, from);
  const value = valueAt(source, from);
  if (isWithin(tokens, fromTokens))
    throw new Rejection(`"${from}" cannot be ${op === 'move' ? 'moved' : 'copied'} into itself`);
  spend(budget, value, tokens.length - 1);
  if (op === 'move') remove(source, from);
  add(locate(holder, tokens, path), op === 'move' ? value : structuredClone(value), path);
}

/** The tokens of a pointer. The first token is empty and stands for the whole document. */
export function tokensOf(pointer: string): string[] {
  return pointer.split('/').map(token => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

const isWithin = (tokens: string[], ancestor: string[]): boolean =>
  ancestor.length < tokens.length && ancestor.every((token, index) => token === tokens[index]);

/** The place that a pointer names, where only the last token may be missing. */
function locate(holder: Container, tokens: string[], pointer: string): Target {
  let parent = holder;
  for (const key of tokens.slice(0, -1)) {
    const next = valueAt({ parent, key }, pointer);
    if (typeof next !== 'object' || next === null)
      throw new Rejection(`"${pointer}" leads through "${key}", which is neither an object nor an array`);
    parent = next as Container;
  }
  const key = tokens.at(-1) ?? '';
  if (key === '__proto__') throw new Rejection(`"${pointer}" names __proto__, which is not allowed`);
  return { parent, key };
}

/** Own properties and existing items only: `/hasOwnProperty/call` must not reach a function of the process. */
function valueAt({ parent, key }: Target, pointer: string): unknown {
  const exists = Array.isArray(parent) ? indexOf(key) < parent.length : Object.hasOwn(parent, key);
  if (!exists) throw new Rejection(`"${pointer}" does not exist`);
  return (parent as Record<string, unknown>)[key];
}

const indexOf = (key: string): number => (/^(0|[1-9]\d{0,8})$/.test(key) ? Number(key) : Number.NaN);

function add({ parent, key }: Target, value: unknown, pointer: string): void {
  if (!Array.isArray(parent)) {
    parent[key] = value;
    return;
  }
  const index = key === '-' ? parent.length : indexOf(key);
  if (!(index <= parent.length))
    throw new Rejection(`"${pointer}" must end with an index from 0 to ${parent.length}, or with -`);
  parent.splice(index, 0, value);
}

function replace(target: Target, value: unknown, pointer: string): void {
  valueAt(target, pointer);
  (target.parent as Record<string, unknown>)[target.key] = value;
}

function remove(target: Target, pointer: string): void {
  if (pointer === '') throw new Rejection('the whole document cannot be removed');
  valueAt(target, pointer);
  if (Array.isArray(target.parent)) target.parent.splice(indexOf(target.key), 1);
  else delete target.parent[target.key];
}

/** Takes the size of a value from the budget; `depth` is the depth of the value. Takes time proportional to the budget at most. */
function spend(budget: Budget, value: unknown, depth: number): void {
  if (depth > MAX_DEPTH) throw new Rejection(`the document would be nested deeper than ${MAX_DEPTH} levels`);
  budget.left -= typeof value === 'string' ? value.length + 2 : 4;
  if (budget.left < 0)
    throw new Rejection(`the document and all that is added to it would exceed ${MAX_SIZE} characters`);
  if (typeof value !== 'object' || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    budget.left -= key.length + 2;
    spend(budget, item, depth + 1);
  }
}
