/** Prints which database a script works on, without its password. On standard error: the output may be piped. */
export function printDatabase(databaseUrl: string): void {
  console.error(`Database: ${databaseAt(new URL(databaseUrl))}`);
}

/** Database, host and role of a URL, without its password; undefined if it is not a URL. */
export function describeDatabase(databaseUrl: string): string | undefined {
  const url = URL.parse(databaseUrl);
  if (url === null) return undefined;
  return `${databaseAt(url)}${url.username === '' ? '' : ` as ${decoded(url.username)}`}`;
}

const databaseAt = ({ hostname, port, pathname }: URL): string =>
  `${decoded(pathname.slice(1))} at ${hostname || 'the local socket'}:${port || 5432}`;

/** A value that was written by hand may have a % that encodes nothing. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
