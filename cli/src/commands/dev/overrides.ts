import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { isMap, parseDocument } from 'yaml';
import { failure, usageError } from '../../errors.ts';
import type { Override, Overrides } from './documents.ts';

const MAX_BYTES = 1_024 * 1_024;
const MAX_NAME_LENGTH = 1_000;
const ALLOWED_STATES = 'true, false, or { variant: name, payload: string }';

/** Reads the file. Returns an empty string if it does not exist. */
export function readText(file: string): string {
  try {
    const text = readFileSync(file, 'utf8');
    if (text.length > MAX_BYTES) throw new Error('it is larger than 1 MiB');
    return text;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw failure(`Cannot read ${file}: ${(error as Error).message}.`);
  }
}

/** Reads the overrides from a YAML or JSON file, which maps flag names to states. */
export function parseOverrides(file: string, text: string): Overrides {
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error)
    throw usageError(`${file} is not valid YAML: ${error.message.split('\n')[0]?.replace(/:$/, '')}`);
  const value: unknown = document.toJS({ maxAliasCount: 100 }) ?? {};
  if (typeof value !== 'object' || Array.isArray(value))
    throw usageError(`${file} must map flag names to ${ALLOWED_STATES}.`);
  for (const [name, override] of Object.entries(value as object))
    if (!isOverride(override))
      throw usageError(`${file}: "${name}" must be ${ALLOWED_STATES}, not ${JSON.stringify(override)}.`);
  return value as Overrides;
}

export function isOverride(value: unknown): value is Override {
  if (typeof value === 'boolean') return true;
  if (typeof value !== 'object' || value === null) return false;
  const { variant, payload, ...rest } = value as { variant?: unknown; payload?: unknown };
  const isName = typeof variant === 'string' && variant !== '' && variant.length <= MAX_NAME_LENGTH;
  return isName && ['string', 'undefined'].includes(typeof payload) && Object.keys(rest).length === 0;
}

export const isFlagName = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= MAX_NAME_LENGTH;

/** Sets or removes one override, and preserves the file's comments and order. */
export function writeOverride(file: string, name: string, override: Override | null): void {
  const document = parseDocument(readText(file));
  if (!isMap(document.contents)) document.contents = document.createNode({}) as never;
  if (override === null) document.delete(name);
  else document.set(name, override);
  const temporaryFile = `${file}.${process.pid}.tmp`;
  writeFileSync(temporaryFile, String(document));
  renameSync(temporaryFile, file);
}
