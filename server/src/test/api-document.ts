import { readFileSync } from 'node:fs';

type Json = Record<string, unknown>;

/** The committed OpenAPI document with every reference replaced by the component it refers to. */
export function readApiDocument<T>(): T {
  const text = readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8');
  return dereference(JSON.parse(text)) as T;
}

/** A document with every reference replaced by the component it refers to. */
export function dereference(document: Json): Json {
  const resolved = new Map<string, unknown>();
  const resolve = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(resolve);
    const { $ref, ...others } = value as Json;
    const siblings = Object.fromEntries(Object.entries(others).map(([key, part]) => [key, resolve(part)]));
    return typeof $ref === 'string' ? { ...(component($ref) as Json), ...siblings } : siblings;
  };
  const component = (reference: string): unknown => {
    if (!resolved.has(reference)) resolved.set(reference, resolve(partAt(document, reference)));
    return resolved.get(reference);
  };
  return resolve(document) as Json;
}

function partAt(document: Json, reference: string): unknown {
  const part = reference
    .replace('#/', '')
    .split('/')
    .reduce<unknown>((found, key) => (found as Json | undefined)?.[key], document);
  if (part === undefined) throw new Error(`The document has no ${reference}.`);
  return part;
}
