import { badData, type Violation } from '../errors.ts';
import type { App } from './app.ts';
import { hasControlCharacter, isStorable } from './text.ts';

const MAX_URL_LENGTH = 12_288;

/** Bounds what is read before anything looks at it: the length of the address and what its parameters may hold. */
export function installInputLimits(app: App): void {
  app.addHook('onRequest', async request => {
    if (request.url.length > MAX_URL_LENGTH) {
      throw badData([{ message: `The address is longer than ${MAX_URL_LENGTH} characters.` }]);
    }
    const details = [...paramViolations(request.params), ...queryViolations(request.query)];
    if (details.length > 0) throw badData(details);
  });
}

function paramViolations(params: unknown): Violation[] {
  return Object.entries((params ?? {}) as Record<string, string>)
    .filter(([, value]) => hasControlCharacter(value) || !isStorable(value))
    .map(([name]) => ({ message: `${name} must not hold control characters`, path: `/params/${name}` }));
}

/** Names too: an operation may look up a parameter that the schema does not describe. */
function queryViolations(query: unknown): Violation[] {
  return Object.entries((query ?? {}) as Record<string, string | string[]>)
    .filter(([name, value]) => ![name, value].flat().every(isStorable))
    .map(([name]) => {
      const shown = name.toWellFormed().replaceAll('\0', '\ufffd');
      return { message: `${shown} must not hold NUL or half a surrogate pair`, path: `/query/${shown}` };
    });
}
