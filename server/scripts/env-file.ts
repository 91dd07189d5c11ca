import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

/** Reads the variables of a .env file, or none if there is no file. */
export function readEnvFile(file: URL): Record<string, string | undefined> {
  return existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {};
}

/** Sets variables and leaves all other lines as they are. The file is replaced in one step, so it is never half-written. */
export function writeEnvFile(file: URL, variables: Record<string, string>): void {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').replace(/\n$/, '').split('\n') : [];
  for (const [name, value] of Object.entries(variables)) {
    const line = `${name}=${quoteValue(value)}`;
    // If a variable is repeated, the last line counts, as when the file is read.
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

/** Whitespace and # end a value that has no quotes. */
const quoteValue = (value: string): string => {
  if (!/[\s#'"`]/.test(value)) return value;
  const quote = ["'", '"', '`'].find(candidate => !value.includes(candidate)) ?? "'";
  return `${quote}${value}${quote}`;
};
