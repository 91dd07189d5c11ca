import { isDeepStrictEqual } from 'node:util';
import { badData } from '@halyard/plane/platform/errors.ts';
import type { Change } from '../../record/change.ts';
import type { CorsSettings } from './schema.ts';
import { lockOrigins, saveOrigins } from './store.ts';

/** Replaces the list of allowed origins. */
export async function changeOrigins(
  { tx, record }: Change,
  { frontendApiOrigins }: CorsSettings,
): Promise<void> {
  rejectInvalidOrigins(frontendApiOrigins);
  const originsBefore = await lockOrigins(tx);
  const originsAfter = [...new Set(frontendApiOrigins)];
  if (isDeepStrictEqual(originsBefore, originsAfter)) return;
  await saveOrigins(tx, originsAfter);
  record({
    type: 'setting-updated',
    data: { id: 'cors', frontendApiOrigins: originsAfter },
    preData: { id: 'cors', frontendApiOrigins: originsBefore },
  });
}

/** Browsers always send an origin in the same form, and origins are compared as strings, so any other form would never match. */
function rejectInvalidOrigins(origins: string[]): void {
  const details = origins.flatMap((origin, index) => {
    const normalized = toBrowserForm(origin);
    if (normalized === origin) return [];
    const message =
      normalized === undefined
        ? `"${origin}" is not a valid origin`
        : `no browser sends the origin "${origin}": use "${normalized}"`;
    return [{ message, path: `/body/frontendApiOrigins/${index}` }];
  });
  if (details.length > 0) throw badData(details);
}

/** Returns the form in which browsers send an origin, or undefined if the string is not an origin. */
function toBrowserForm(origin: string): string | undefined {
  if (origin === '*') return origin;
  if (!URL.canParse(origin)) return undefined;
  // Pages with other schemes, such as those of browser extensions, send an origin that the browser defines.
  return /^https?:/.test(origin) ? new URL(origin).origin : origin;
}
