import { nearestName } from '../../nearest.ts';
import { truncate } from '../../text.ts';

/** The message about a parameter or field that the operation does not have. */
export function unknownName(part: string, name: string, knownNames: readonly string[]): string {
  const kind = part === 'query' ? 'query parameter' : 'field';
  const field = name.slice(name.lastIndexOf('.') + 1);
  const nearest = nearestName(field, knownNames);
  const suggestion = nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
  return `Unknown ${kind} "${truncate(name, 200)}".${suggestion}`;
}
