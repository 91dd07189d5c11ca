import { isDeepStrictEqual } from 'node:util';
import { badData } from '../../../../plane/src/platform/errors.ts';
import type { Change } from '../../record/change.ts';
import type { CorsSettings } from './schema.ts';
import { lockOrigins, saveOrigins } from './store.ts';

/** Replaces the list of allowed origins. */
export async function changeOrigins(
  { tx, record }: Change,
  { frontendApiOrigins }: CorsSettings,
): Promise<void> {
  rejectUnsendable(frontendApiOrigins);
  const before = await lockOrigins(tx);
  const after = [...new Set(frontendApiOrigins)];
  if (isDeepStrictEqual(before, after)) return;
  await saveOrigins(tx, after);
  record({
    type: 'setting-updated',
    data: { id: 'cors', frontendApiOrigins: after },
    preData: { id: 'cors', frontendApiOrigins: before },
  });
}

/** Browsers always send an origin in the same form, and origins are compared as strings, so any other form would never match. */
function rejectUnsendable(origins: string[]): void {
  const details = origins.flatMap((origin, at) => {
    const sent = sentForm(origin);
    if (sent === origin) return [];
    const message =
      sent === undefined
        ? `"${origin}" is not a valid origin`
        : `no browser sends the origin "${origin}": use "${sent}"`;
    return [{ message, path: `/body/frontendApiOrigins/${at}` }];
  });
  if (details.length > 0) throw badData(details);
}

/** The form in which browsers send an origin, or undefined if it is not an origin. */
function sentForm(origin: string): string | undefined {
  if (origin === '*') return origin;
  if (!URL.canParse(origin)) return undefined;
  // Pages with other schemes, such as those of browser extensions, send an origin that the browser defines.
  return /^https?:/.test(origin) ? new URL(origin).origin : origin;
}
