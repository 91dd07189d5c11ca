import { invalidOperation } from '@halyard/plane/platform/errors.ts';
import type { Keyring } from './seal.ts';

/** Rejects an operation that stores a secret while the server has no key. */
export function requireKey(keyring: Keyring): void {
  if (keyring.length > 0) return;
  throw invalidOperation(
    'This server has no key to encrypt secrets. The operator must set HALYARD_SECRET_KEY.',
  );
}
