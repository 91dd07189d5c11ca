import type { IncomingHttpHeaders } from 'node:http';

export type Encoding = 'br' | 'gzip';

/** The offered encoding that the client prefers; the first one if several are equal. Undefined: the client gets uncompressed bytes. */
export function acceptedEncoding<E extends Encoding>(
  header: string | undefined,
  offered: readonly E[],
): E | undefined {
  if (header === undefined) return undefined;
  const weights = new Map(header.split(',').map(weightOf));
  const weight = (encoding: string) => weights.get(encoding) ?? weights.get('*') ?? 0;
  const [best] = offered.toSorted((a, b) => weight(b) - weight(a));
  return best !== undefined && weight(best) > 0 ? best : undefined;
}

/** Whether the client accepts gzip. */
export const acceptsGzip = (headers: IncomingHttpHeaders): boolean =>
  acceptedEncoding(headers['accept-encoding']?.toString(), ['gzip']) !== undefined;

/** `br;q=0.5` weighs 0.5 and `br` weighs 1. A weight that is not a number from 0 to 1 counts as 0. */
function weightOf(item: string): [name: string, weight: number] {
  const [name = '', ...parameters] = item.split(';').map(part => part.trim().toLowerCase());
  const q = parameters.find(parameter => parameter.startsWith('q='))?.slice(2);
  const weight = q === undefined ? 1 : Number(q || 'none');
  return [name, weight >= 0 && weight <= 1 ? weight : 0];
}
