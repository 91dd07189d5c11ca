import type { IncomingHttpHeaders } from 'node:http';

/** A name with an optional version, as the first product of a User-Agent: halyard-cli/1.4.0 */
const CLIENT = /^[A-Za-z][A-Za-z0-9._-]{0,49}(?:\/[A-Za-z0-9][A-Za-z0-9.+_-]{0,29})?(?=$|[\s;,(])/;

const MAX_READ = 100;

/**
 * The name and version of the program that sent the request: from Halyard-Client, or from the first product of User-Agent. What
 * does not look like one is ignored, because no request may fail for it.
 */
export function readClient(headers: IncomingHttpHeaders): string | undefined {
  const given = headers['halyard-client'] ?? headers['user-agent'];
  return CLIENT.exec(
    String(given ?? '')
      .slice(0, MAX_READ)
      .trim(),
  )?.[0];
}
