import type { IncomingHttpHeaders } from 'node:http';

/** A name with an optional version at the start of the header, such as halyard-cli/1.4.0. */
const CLIENT = /^[A-Za-z][A-Za-z0-9._-]{0,49}(?:\/[A-Za-z0-9][A-Za-z0-9.+_-]{0,29})?(?=$|[\s;,(])/;

const MAX_HEADER_LENGTH = 100;

/**
 * Returns the name and version of the client that sent the request. They come from Halyard-Client or from the first product in
 * User-Agent. A header in a different form is ignored, so that no request fails because of it.
 */
export function readClient(headers: IncomingHttpHeaders): string | undefined {
  const header = headers['halyard-client'] ?? headers['user-agent'];
  return CLIENT.exec(
    String(header ?? '')
      .slice(0, MAX_HEADER_LENGTH)
      .trim(),
  )?.[0];
}
