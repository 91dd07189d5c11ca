import { invalidOperation } from '../../platform/errors.ts';
import type { Role } from './schema.ts';

/** The type of a role that administrators made; one that is built in is refused. */
export function refuseBuiltIn({ type, name }: Role): 'custom' | 'root-custom' {
  if (type === 'custom' || type === 'root-custom') return type;
  throw invalidOperation(`The role ${name} is built in: it stays as it is. Create one of your own.`);
}
