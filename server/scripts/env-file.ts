import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

/** The variables of a .env file; none if there is no file. */
export function readEnvFile(file: URL): Record<string, string | undefined> {
  return existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {};
}

/** Sets variables and leaves all other lines as they are. The file is replaced in one step, so it is never half-written. */
export function writeEnvFile(file: URL, variables: Record<string, string>): void {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').replace(/\n$/, '').split('\n') : [];
  for (const [name, value] of Object.entries(variables)) {
    const line = `${name}=${quoted(value)}`;
    // The last one counts, as it does when the file is read.
    const at = lines.findLastIndex(one => new RegExp(`^\\s*(export\\s+)?${name}\\s*=`).test(one));
    if (at >= 0) lines[at] = line;
    else lines.push(line);
  }
  const written = new URL(`${file.href}.new`);
  writeFileSync(written, `${lines.join('\n')}\n`, { mode: 0o600 });
  renameSync(written, file);
}

/** Whitespace and # end a value that has no quotes. */
const quoted = (value: string): string => {
  if (!/[\s#'"`]/.test(value)) return value;
  const quote = ["'", '"', '`'].find(one => !value.includes(one)) ?? "'";
  return `${quote}${value}${quote}`;
};
