import { type AnyCommand, type Option, optionsOf } from './command.ts';
import { COMMANDS, GROUPS } from './commands/index.ts';
import { EXIT, EXIT_MEANINGS, notFound } from './errors.ts';

/** For programs: one command with its inputs and outputs, the commands of a group, or all of them. */
export async function describe(words: string[]): Promise<object> {
  const names = words.filter(word => !word.startsWith('-'));
  const command = COMMANDS.find(({ name }) => name === names.slice(0, name.split(' ').length).join(' '));
  if (command) return await describeCommand(command);
  const [group] = names;
  if (group !== undefined && !Object.hasOwn(GROUPS, group))
    throw notFound(
      `There is no command ${JSON.stringify(group)}.`,
      'Run halyard --describe for all commands.',
    );
  const listed = COMMANDS.filter(({ name }) => group === undefined || name.startsWith(`${group} `));
  return {
    commands: listed.map(({ name, brief, writes }) => ({ name, brief, writes: writes ?? 'nothing' })),
    exitCodes: EXIT_MEANINGS,
  };
}

async function describeCommand(command: AnyCommand): Promise<object> {
  const { schemaFor } = await import('./api/schema-for.ts');
  const { name, brief, description, writes, calls, streams, raw, output, examples } = command;
  return {
    name,
    brief,
    ...(description && { description }),
    writes: writes ?? 'nothing',
    arguments: Object.entries(command.args ?? {}).map(([key, one]) => ({ name: key, ...(one as object) })),
    options: Object.entries(optionsOf(command)).map(([key, option]) => describeOption(key, option)),
    operations: calls,
    output: { format: streams ? 'ndjson' : raw ? 'text' : 'json', schema: schemaFor(output) },
    exitCodes: exitCodesOf(command),
    examples: examples.map(({ does, run }) => ({ does, run: `halyard ${run}` })),
  };
}

function describeOption(key: string, { complete: _, ...option }: Option): object {
  return {
    name: `--${key.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`,
    ...option,
    ...(option.short && { short: `-${option.short}` }),
  };
}

/** All exit codes that a command can have, with their meanings. */
export function exitCodesOf({ checks, calls, args, writes }: AnyCommand): Record<number, string> {
  const asks = calls.length > 0;
  const all = Object.entries(EXIT_MEANINGS).filter(([code]) => {
    const number = Number(code);
    if (number === EXIT.check) return checks || writes !== undefined;
    if (number === EXIT.conflict) return writes !== undefined && asks;
    if (number === EXIT.notFound || number === EXIT.notAllowed) return asks || args !== undefined;
    return true;
  });
  return Object.fromEntries(all);
}
