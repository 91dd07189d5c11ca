import { invalidOperation } from '../errors.ts';
import type { Keyring } from './seal.ts';

/** Without a key nothing sensitive can be stored: refuses what would need to. */
export function needsKey(keyring: Keyring): void {
  if (keyring.length > 0) return;
  throw invalidOperation(
    'This server has no key to encrypt secrets with. The operator must set HALYARD_SECRET_KEY first.',
  );
}
