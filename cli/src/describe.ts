import { type AnyCommand, getCommandOptions, type Option } from './command.ts';
import { COMMANDS, GROUPS } from './commands/index.ts';
import { EXIT, EXIT_MEANINGS, notFoundError } from './errors.ts';

/** Describes one command with its inputs and outputs, the commands of a group, or all commands, for programs to read. */
export async function describe(words: string[]): Promise<object> {
  const names = words.filter(word => !word.startsWith('-'));
  const command = COMMANDS.find(({ name }) => name === names.slice(0, name.split(' ').length).join(' '));
  if (command) return await describeCommand(command);
  const [group] = names;
  if (group !== undefined && !Object.hasOwn(GROUPS, group))
    throw notFoundError(
      `There is no command ${JSON.stringify(group)}.`,
      'Run halyard --describe for all commands.',
    );
  const commands = COMMANDS.filter(({ name }) => group === undefined || name.startsWith(`${group} `));
  return {
    commands: commands.map(({ name, brief, writes }) => ({ name, brief, writes: writes ?? 'nothing' })),
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
    arguments: Object.entries(command.args ?? {}).map(([key, argument]) => ({
      name: key,
      ...(argument as object),
    })),
    options: Object.entries(getCommandOptions(command)).map(([key, option]) => describeOption(key, option)),
    operations: calls,
    output: { format: streams ? 'ndjson' : raw ? 'text' : 'json', schema: schemaFor(output) },
    exitCodes: getExitCodes(command),
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

/** Returns the exit codes that a command can have, with their meanings. */
export function getExitCodes({ checks, calls, args, writes }: AnyCommand): Record<number, string> {
  const sendsRequests = calls.length > 0;
  const possibleCodes = Object.entries(EXIT_MEANINGS).filter(([code]) => {
    const number = Number(code);
    if (number === EXIT.check) return checks || writes !== undefined;
    if (number === EXIT.conflict) return writes !== undefined && sendsRequests;
    if (number === EXIT.notFound || number === EXIT.notAllowed) return sendsRequests || args !== undefined;
    return true;
  });
  return Object.fromEntries(possibleCodes);
}
