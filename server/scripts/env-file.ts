import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

/** Reads the variables of a .env file, or none if there is no file. */
export function readEnvFile(file: URL): Record<string, string | undefined> {
  return existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {};
}

/** Sets variables and leaves all other lines unchanged. The file is replaced atomically, so it is never half-written. */
export function writeEnvFile(file: URL, variables: Record<string, string>): void {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').replace(/\n$/, '').split('\n') : [];
  for (const [name, value] of Object.entries(variables)) {
    const line = `${name}=${quoteValue(value)}`;
    // If a variable occurs more than once, the last line wins, as it does when the file is read.
    const index = lines.findLastIndex(existingLine =>
      new RegExp(`^\\s*(export\\s+)?${name}\\s*=`).test(existingLine),
    );
    if (index >= 0) lines[index] = line;
    else lines.push(line);
  }
  const newFile = new URL(`${file.href}.new`);
  writeFileSync(newFile, `${lines.join('\n')}\n`, { mode: 0o600 });
  renameSync(newFile, file);
}

/** Quotes the value if necessary, because whitespace and # end an unquoted value. */
const quoteValue = (value: string): string => {
  if (!/[\s#'"`]/.test(value)) return value;
  const quote = ["'", '"', '`'].find(candidate => !value.includes(candidate)) ?? "'";
  return `${quote}${value}${quote}`;
};
