import { COMMANDS, GROUPS } from './commands/index.ts';
import { type Given, makeContext, type Runtime, wantsJson } from './context.ts';
import { describe } from './describe.ts';
import { CommandError, EXIT, errorDocument, errorText, failed, type Problem } from './errors.ts';
import { document, escaped, printable, printLine } from './output.ts';
import { overview } from './overview.ts';
import { type Invocation, type OtherCommand, parse, propose } from './parse.ts';
import { DryRun } from './requests.ts';
import { waitUntilLive } from './wait.ts';

/** Runs one command line. Returns the exit code. */
export async function main(given: string[], runtime: Runtime, others: OtherCommand[] = []): Promise<number> {
  // As with other programs: halyard help flags list
  const words = withoutAlias(given[0] === 'help' ? [...given.slice(1), '--help'] : given);
  if (words[0] === '__complete') return await complete(words.slice(1), runtime, others);
  const output = outputIn(words);
  try {
    if (isAskedToDescribe(words)) {
      await printLine(
        runtime,
        document(await describe(words.filter(word => word !== '--describe')), runtime),
      );
      return EXIT.done;
    }
    if (words.length === 0 || ['--help', '-h'].includes(words[0] ?? '')) {
      await printLine(runtime, overview(others));
      return EXIT.done;
    }
    const parsed = await parse(words, runtime.env, others);
    if (parsed.kind === 'print') {
      await printLine(runtime, parsed.text);
      return EXIT.done;
    }
    if (parsed.kind === 'wrong')
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
  const context = makeContext(runtime, options as Given, command.survivesRestart);
  if (options.web) {
    const { openPage } = await import('./browser.ts');
    await openPage(context, await command.page?.(context, args, options));
    return EXIT.done;
  }
  const show = (result: unknown, isItem: boolean) => {
    // A string is a file or a script, so it is printed unchanged.
    if (typeof result === 'string')
      return printLine(context, context.stdout.isTTY ? printable(result) : result);
    if (!context.json) return printLine(context, command.text(result, context));
    return printLine(context, isItem ? escaped(JSON.stringify(result)) : document(result, context));
  };
  try {
    const running = command.run(context, args, options);
    if (Symbol.asyncIterator in running) for await (const item of running) await show(item, true);
    else await show(await running, false);
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
        ? document({ dryRun: true, request: error.request }, context)
        : `Nothing was changed. Without --dry-run, this request is sent:\n\n${lines.join('\n').replace(/^/gm, '  ')}`,
    );
  }
  if (context.given.wait !== undefined && !context.given.dryRun) {
    const sentence = await waitUntilLive(context, context.given.wait);
    if (!context.json) await printLine(context, sentence);
  }
  return context.exit();
}

function report(error: unknown, runtime: Runtime, output: string | undefined): number {
  // The reader has closed the pipe, as in: halyard flags list | head
  if ((error as NodeJS.ErrnoException).code === 'EPIPE') return EXIT.done;
  const { problem }: { problem: Problem } =
    error instanceof CommandError
      ? error
      : failed(`This is a bug in halyard: ${(error as Error)?.stack ?? error}`);
  const json = wantsJson(runtime, runtime.stderr, output);
  runtime.stderr.write(`${json ? JSON.stringify(errorDocument(problem)) : errorText(problem)}\n`);
  return problem.exit;
}

/** Words that people know from other programs. */
const ALIASES: Record<string, string> = { enable: 'on', disable: 'off', get: 'show', delete: 'archive' };

/** `flags enable` becomes `flags on`, unless the group has a command of that name. */
function withoutAlias(words: string[]): string[] {
  const [group, verb = '', ...rest] = words;
  const meant = Object.hasOwn(ALIASES, verb) ? ALIASES[verb] : undefined;
  const isKnown = (name: string) => COMMANDS.some(one => one.name === `${group} ${name}`);
  return group !== undefined && meant !== undefined && !isKnown(verb) && isKnown(meant)
    ? [group, meant, ...rest]
    : words;
}

/** Determined before the words are parsed, because they may be invalid. */
function outputIn(words: string[]): string | undefined {
  const at = words.findIndex(word => /^(-o|--output)(=|$)/.test(word));
  const value = words[at]?.split('=')[1] ?? words[at + 1];
  return at >= 0 && (value === 'json' || value === 'text') ? value : undefined;
}

const isAskedToDescribe = (words: string[]): boolean => {
  const end = words.indexOf('--');
  return (end < 0 ? words : words.slice(0, end)).includes('--describe');
};

/** The help of the command or group that the line begins with. */
function helpFor(words: string[]): string {
  const name = COMMANDS.find(one => words.slice(0, one.name.split(' ').length).join(' ') === one.name)?.name;
  const group = words[0] !== undefined && Object.hasOwn(GROUPS, words[0]) ? words[0] : undefined;
  return ['halyard', ...[name ?? group].filter(Boolean), '--help'].join(' ');
}

/** Called by shells with every word after `halyard`; the last word is incomplete. */
async function complete(words: string[], runtime: Runtime, others: OtherCommand[]): Promise<number> {
  const all = await propose(words, runtime.env, others).catch(() => []);
  const isOption = (text: string) => text.startsWith('-');
  // Options are offered only after a dash.
  const values = all.filter(({ completion }) => !isOption(completion));
  const some = isOption(words.at(-1) ?? '') || values.length === 0 ? all : values;
  for (const { completion, brief } of some) runtime.stdout.write(`${completion}\t${brief.split('\n')[0]}\n`);
  return EXIT.done;
}
