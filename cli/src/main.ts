import { COMMANDS, GROUPS } from './commands/index.ts';
import { makeContext, type Runtime, type SharedOptions, wantsJson } from './context.ts';
import { describe } from './describe.ts';
import { CommandError, EXIT, errorDocument, errorText, failure, type Problem } from './errors.ts';
import {
  escapeControlCharacters,
  formatDocument,
  printLine,
  sanitizeLines,
  sanitizeResult,
} from './output.ts';
import { overview } from './overview.ts';
import { type Invocation, type OtherCommand, parse, suggestCompletions } from './parse.ts';
import { DryRun } from './requests.ts';
import { waitUntilLive } from './wait.ts';

/** Runs one command. Returns the exit code. */
export async function main(
  args: string[],
  runtime: Runtime,
  otherCommands: OtherCommand[] = [],
): Promise<number> {
  // Many CLIs accept this form: halyard help flags list
  const words = replaceAlias(args[0] === 'help' ? [...args.slice(1), '--help'] : args);
  if (words[0] === '__complete') return await complete(words.slice(1), runtime, otherCommands);
  const output = findOutputOption(words);
  try {
    if (wantsDescription(words)) {
      await printLine(
        runtime,
        formatDocument(await describe(words.filter(word => word !== '--describe')), runtime),
      );
      return EXIT.done;
    }
    if (words.length === 0 || ['--help', '-h'].includes(words[0] ?? '')) {
      await printLine(runtime, overview(otherCommands));
      return EXIT.done;
    }
    const parsed = await parse(words, runtime.env, otherCommands);
    if (parsed.kind === 'print') {
      await printLine(runtime, parsed.text);
      return EXIT.done;
    }
    if (parsed.kind === 'error')
      throw new CommandError({
        code: 'UsageError',
        message: parsed.message,
        exit: EXIT.usage,
        retryable: false,
        hint: `Run ${helpFor(words)} for help.`,
      });
    return await execute(parsed.invocation, runtime);
  } catch (error) {
    return report(error, runtime, output);
  }
}

async function execute({ command, args, options }: Invocation, runtime: Runtime): Promise<number> {
  const context = makeContext(runtime, options as SharedOptions, command.survivesRestart);
  if (options.web) {
    const { openPage } = await import('./browser.ts');
    await openPage(context, await command.page?.(context, args, options));
    return EXIT.done;
  }
  const show = (result: unknown, isItem: boolean) => {
    // A string is a file or a script, so it is printed unchanged.
    if (typeof result === 'string')
      return printLine(context, context.stdout.isTTY ? sanitizeLines(result) : result);
    if (!context.json) return printLine(context, command.text(sanitizeResult(result), context));
    return printLine(
      context,
      isItem ? escapeControlCharacters(JSON.stringify(result)) : formatDocument(result, context),
    );
  };
  try {
    const result = command.run(context, args, options);
    if (Symbol.asyncIterator in result) for await (const item of result) await show(item, true);
    else await show(await result, false);
  } catch (error) {
    if (!(error instanceof DryRun)) throw error;
    const { method, path, body, comment } = error.request;
    const lines = [
      `${method} ${path}`,
      ...(body === undefined ? [] : [JSON.stringify(body, null, 2)]),
      ...(comment ? [`Comment: ${comment}`] : []),
    ];
    await printLine(
      context,
      context.json
        ? formatDocument({ dryRun: true, request: error.request }, context)
        : `Nothing was changed. Without --dry-run, this request would be sent:\n\n${lines.join('\n').replace(/^/gm, '  ')}`,
    );
  }
  if (context.sharedOptions.wait !== undefined && !context.sharedOptions.dryRun) {
    const sentence = await waitUntilLive(context, context.sharedOptions.wait);
    if (!context.json) await printLine(context, sentence);
  }
  return context.exit();
}

function report(error: unknown, runtime: Runtime, output: string | undefined): number {
  // Not an error, because the reader closed the pipe, as in: halyard flags list | head
  if ((error as NodeJS.ErrnoException).code === 'EPIPE') return EXIT.done;
  const { problem }: { problem: Problem } =
    error instanceof CommandError
      ? error
      : failure(`This is a bug in halyard: ${(error as Error)?.stack ?? error}`);
  const json = wantsJson(runtime, runtime.stderr, output);
  runtime.stderr.write(`${json ? JSON.stringify(errorDocument(problem)) : errorText(problem)}\n`);
  return problem.exit;
}

/** Synonyms that people know from other CLIs. */
const ALIASES: Record<string, string> = { enable: 'on', disable: 'off', get: 'show', delete: 'archive' };

/** Replaces an alias, such as `flags enable` with `flags on`, unless the group has a command of that name. */
function replaceAlias(words: string[]): string[] {
  const [group, verb = '', ...rest] = words;
  const target = Object.hasOwn(ALIASES, verb) ? ALIASES[verb] : undefined;
  const isKnown = (name: string) => COMMANDS.some(candidate => candidate.name === `${group} ${name}`);
  return group !== undefined && target !== undefined && !isKnown(verb) && isKnown(target)
    ? [group, target, ...rest]
    : words;
}

/** Finds the output format before the words are parsed, because errors need it even if the words are invalid. */
function findOutputOption(words: string[]): string | undefined {
  const index = words.findIndex(word => /^(-o|--output)(=|$)/.test(word));
  const value = words[index]?.split('=')[1] ?? words[index + 1];
  return index >= 0 && (value === 'json' || value === 'text') ? value : undefined;
}

const wantsDescription = (words: string[]): boolean => {
  const end = words.indexOf('--');
  return (end < 0 ? words : words.slice(0, end)).includes('--describe');
};

/** Returns the command line that prints the help for the command or group in `words`. */
function helpFor(words: string[]): string {
  const name = COMMANDS.find(({ name }) => words.slice(0, name.split(' ').length).join(' ') === name)?.name;
  const group = words[0] !== undefined && Object.hasOwn(GROUPS, words[0]) ? words[0] : undefined;
  return ['halyard', ...[name ?? group].filter(Boolean), '--help'].join(' ');
}

/** Prints completions. A shell passes every word after `halyard`, and the last one may be incomplete. */
async function complete(words: string[], runtime: Runtime, otherCommands: OtherCommand[]): Promise<number> {
  const suggestions = await suggestCompletions(words, runtime.env, otherCommands).catch(() => []);
  const isOption = (text: string) => text.startsWith('-');
  // Offers options only after a dash, unless there is nothing else.
  const values = suggestions.filter(({ completion }) => !isOption(completion));
  const offered = isOption(words.at(-1) ?? '') || values.length === 0 ? suggestions : values;
  for (const { completion, brief } of offered)
    runtime.stdout.write(`${completion}\t${brief.split('\n')[0]}\n`);
  return EXIT.done;
}
