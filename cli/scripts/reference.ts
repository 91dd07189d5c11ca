import {
  type AnyCommand,
  COMMON,
  DESTRUCTIVE,
  type Options,
  optionsOf,
  PAGE,
  WRITES,
} from '../src/command.ts';
import { COMMANDS } from '../src/commands/index.ts';
import { EXIT_MEANINGS } from '../src/errors.ts';
import { CLI_VARIABLES } from '../src/variables.ts';

const BEGIN = '<!-- generated: npm run api-types -->';
const END = '<!-- end -->';

const kebab = (name: string): string => name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`);
const cell = (text: string): string => text.replaceAll('|', '\\|');

/** Columns of one width, as the formatter of the repository writes them. */
function table(header: string[], rows: string[][]): string[] {
  const all = [header, ...rows];
  const widths = header.map((_, n) => Math.max(...all.map(row => [...(row[n] ?? '')].length)));
  const line = (row: string[]) =>
    `| ${row.map((text, n) => text + ' '.repeat((widths[n] ?? 0) - [...text].length)).join(' | ')} |`;
  return [line(header), `| ${widths.map(width => '-'.repeat(width)).join(' | ')} |`, ...rows.map(line)];
}

function optionRows(options: Options): string[][] {
  return Object.entries(options).map(([key, option]) => {
    const value =
      option.type === 'flag'
        ? ''
        : option.type === 'choice'
          ? ` <${option.choices.join('\\|')}>`
          : ` <${option.value}>`;
    const normally =
      'default' in option && option.default !== undefined ? `. Default: ${option.default}` : '';
    const must = 'required' in option ? ' (required)' : '';
    return [
      `\`--${kebab(key)}${value}\`${option.short ? `, \`-${option.short}\`` : ''}`,
      cell(`${option.brief}${normally}${must}`),
    ];
  });
}

/** The options that only this command has. The page lists the common ones once. */
const own = (command: AnyCommand): Options =>
  Object.fromEntries(
    Object.entries(optionsOf(command)).filter(([key]) => Object.hasOwn(command.options ?? {}, key)),
  );

function section(command: AnyCommand): string[] {
  const args = Object.entries(command.args ?? {}) as [string, { brief: string; optional?: true }][];
  const usage = [
    'halyard',
    command.name,
    ...args.map(([name, { optional }]) => (optional ? `[<${kebab(name)}>]` : `<${kebab(name)}>`)),
    '[options]',
  ].join(' ');
  const rows = [
    ...args.map(([name, { brief }]) => [`\`<${kebab(name)}>\``, cell(brief)]),
    ...optionRows(own(command)),
  ];
  const also = [
    ...(command.writes ? ['`--comment`', '`--dry-run`', '`--wait`'] : []),
    ...(command.writes === 'destructive' ? ['`--yes`'] : []),
    ...(command.page ? ['`--web`'] : []),
  ];
  return [
    `### halyard ${command.name}`,
    '',
    `${command.brief}.${command.description ? ` ${command.description}` : ''}`,
    '',
    '```text',
    usage,
    '```',
    '',
    ...(rows.length > 0 ? [...table(['Argument or option', 'Meaning'], rows), ''] : []),
    ...(also.length > 0 ? [`It also accepts ${also.join(', ')}.`, ''] : []),
    '```sh no-run',
    ...command.examples.flatMap(({ does, run }) => [`# ${does}`, `halyard ${run}`]),
    '```',
    '',
  ];
}

/** The page with the parts that follow from the definitions. */
export function writeReference(page: string): string {
  const shared = [
    ...optionRows(COMMON).map(row => [...row, 'every command']),
    ...optionRows(WRITES).map(row => [...row, 'every command that changes something']),
    ...optionRows(DESTRUCTIVE).map(row => [...row, 'commands that archive, delete or revoke something']),
    ...optionRows(PAGE).map(row => [...row, 'commands that have a page in the console']),
  ];
  const parts = [
    [...table(['Option', 'Meaning', 'Where'], shared)],
    [
      ...table(
        ['Code', 'Meaning'],
        Object.entries(EXIT_MEANINGS).map(([code, meaning]) => [code, cell(meaning)]),
      ),
    ],
    [
      ...table(
        ['Variable', 'Meaning'],
        Object.entries(CLI_VARIABLES).map(([name, meaning]) => [`\`${name}\``, cell(meaning)]),
      ),
    ],
    COMMANDS.flatMap(section).slice(0, -1),
  ];
  let n = 0;
  const filled = page.replace(new RegExp(`${BEGIN}[\\s\\S]*?${END}`, 'g'), () =>
    [BEGIN, '', ...(parts[n++] ?? []), '', END].join('\n'),
  );
  if (n !== parts.length) throw new Error(`The page has ${n} generated parts instead of ${parts.length}.`);
  return filled;
}
