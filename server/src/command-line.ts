import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { VARIABLES } from './variables.ts';

/** What to print instead of starting, and the exit code; undefined: start the server. */
export type Printed = { text: string; exitCode: 0 | 2 };

/** The server takes all its settings from the environment, so there are only two options. */
export function readArguments(args: string[]): Printed | undefined {
  try {
    const { values } = parseArgs({
      args,
      options: { help: { type: 'boolean', short: 'h' }, version: { type: 'boolean', short: 'v' } },
    });
    if (values.help) return { text: helpText(), exitCode: 0 };
    if (values.version) return { text: version(), exitCode: 0 };
    return undefined;
  } catch (error) {
    // Node's second sentence explains how to pass an argument that begins with a dash, which helps nobody here.
    const [problem] = (error as Error).message.split('. ');
    return { text: `${problem?.replace(/\.$/, '')}. Run with --help for all options.`, exitCode: 2 };
  }
}

export function version(): string {
  const file = new URL('../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

function helpText(): string {
  const width = Math.max(...Object.keys(VARIABLES).map(name => name.length));
  const variables = Object.entries(VARIABLES).map(
    ([name, { meaning, default: fallback }]) =>
      `  ${name.padEnd(width)}  ${meaning}\n  ${' '.repeat(width)}  Default: ${fallback}`,
  );
  return `Halyard ${version()}, a feature-flag service

Usage: npm start [-- <option>]
       node server/src/main.ts [<option>]

Options:
  -h, --help     Print this text
  -v, --version  Print the version

Environment variables (npm start also reads them from .env):
${variables.join('\n')}

Documentation: docs/how-to/run-in-production.md`;
}
