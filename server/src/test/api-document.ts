import { readFileSync } from 'node:fs';

type Json = Record<string, unknown>;

/** Returns the committed OpenAPI document with every reference replaced by the component it refers to. */
export function readApiDocument<T>(): T {
  const text = readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8');
  return dereference(JSON.parse(text)) as T;
}

/** Returns a document with every reference replaced by the component it refers to. */
export function dereference(document: Json): Json {
  const resolvedComponents = new Map<string, unknown>();
  const resolve = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(resolve);
    const { $ref, ...keywords } = value as Json;
    const siblings = Object.fromEntries(Object.entries(keywords).map(([key, part]) => [key, resolve(part)]));
    return typeof $ref === 'string' ? { ...(resolveComponent($ref) as Json), ...siblings } : siblings;
  };
  const resolveComponent = (reference: string): unknown => {
    if (!resolvedComponents.has(reference))
      resolvedComponents.set(reference, resolve(findPart(document, reference)));
    return resolvedComponents.get(reference);
  };
  return resolve(document) as Json;
}

function findPart(document: Json, reference: string): unknown {
  const part = reference
    .replace('#/', '')
    .split('/')
    .reduce<unknown>((part, key) => (part as Json | undefined)?.[key], document);
  if (part === undefined) throw new Error(`The document has no ${reference}.`);
  return part;
}
