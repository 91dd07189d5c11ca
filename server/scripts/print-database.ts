/** Prints which database a script uses, without the password. Uses standard error, because the output may be piped. */
export function printDatabase(databaseUrl: string): void {
  console.error(`Database: ${describeLocation(new URL(databaseUrl))}`);
}

/** Describes the database, host and role in a URL, without the password. Returns undefined if the string is not a URL. */
export function describeDatabase(databaseUrl: string): string | undefined {
  const url = URL.parse(databaseUrl);
  if (url === null) return undefined;
  return `${describeLocation(url)}${url.username === '' ? '' : ` as ${decode(url.username)}`}`;
}

const describeLocation = ({ hostname, port, pathname }: URL): string =>
  `${decode(pathname.slice(1))} at ${hostname || 'the local socket'}:${port || 5432}`;

/** Decodes a part of a URL, unless it contains a % that is not an escape, as in a URL typed by hand. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
