import { invalidOperation } from '@halyard/plane/platform/errors.ts';
import type { Role } from './schema.ts';

/** Rejects a built-in role. Returns the type of a custom role. */
export function requireCustom({ type, name }: Role): 'custom' | 'root-custom' {
  if (type === 'custom' || type === 'root-custom') return type;
  throw invalidOperation(
    `Role "${name}" is built in and cannot be changed or deleted. Create a custom role instead.`,
  );
}
