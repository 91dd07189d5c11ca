import { badData } from '../errors.ts';
import type { App } from './app.ts';
import { hasControlCharacter } from './text.ts';

const MAX_URL_LENGTH = 12_288;

/** Bounds what is read before anything looks at it: the length of the address and what its parameters may hold. */
export function installInputLimits(app: App): void {
  app.addHook('onRequest', async request => {
    if (request.url.length > MAX_URL_LENGTH) {
      throw badData([{ message: `The address is longer than ${MAX_URL_LENGTH} characters.` }]);
    }
    const params = (request.params ?? {}) as Record<string, string>;
    const bad = Object.keys(params).filter(name => hasControlCharacter(params[name] ?? ''));
    if (bad.length === 0) return;
    throw badData(
      bad.map(name => ({ message: `${name} must not hold control characters`, path: `/params/${name}` })),
    );
  });
}
