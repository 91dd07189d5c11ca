import type { IncomingHttpHeaders } from 'node:http';

export type Encoding = 'br' | 'gzip';

/** Returns the offered encoding that the client prefers, or the first of several that it prefers equally. Undefined: no compression. */
export function chooseEncoding<E extends Encoding>(
  header: string | undefined,
  offeredEncodings: readonly E[],
): E | undefined {
  if (header === undefined) return undefined;
  const weights = new Map(header.split(',').map(parseWeight));
  const weight = (encoding: string) => weights.get(encoding) ?? weights.get('*') ?? 0;
  const [best] = offeredEncodings.toSorted((a, b) => weight(b) - weight(a));
  return best !== undefined && weight(best) > 0 ? best : undefined;
}

/** Whether the client accepts gzip. */
export const acceptsGzip = (headers: IncomingHttpHeaders): boolean =>
  chooseEncoding(headers['accept-encoding']?.toString(), ['gzip']) !== undefined;

/** `br;q=0.5` weighs 0.5 and `br` weighs 1. A weight that is not a number from 0 to 1 counts as 0. */
function parseWeight(item: string): [name: string, weight: number] {
  const [name = '', ...parameters] = item.split(';').map(part => part.trim().toLowerCase());
  const q = parameters.find(parameter => parameter.startsWith('q='))?.slice(2);
  const weight = q === undefined ? 1 : Number(q || 'none');
  return [name, weight >= 0 && weight <= 1 ? weight : 0];
}
