/** Says which database a script works on, without its password. On standard error: the output may be piped. */
export function sayDatabase(databaseUrl: string): void {
  const { hostname, port, pathname } = new URL(databaseUrl);
  console.error(
    `Database: ${decodeURIComponent(pathname.slice(1))} at ${hostname || 'the local socket'}:${port || 5432}`,
  );
}
