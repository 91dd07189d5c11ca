import {
  type AnyCommand,
  COMMON,
  DESTRUCTIVE,
  getCommandOptions,
  type Options,
  PAGE,
  WRITES,
} from '../src/command.ts';
import { COMMANDS } from '../src/commands/index.ts';
import { EXIT_MEANINGS } from '../src/errors.ts';
import { CLI_VARIABLES } from '../src/variables.ts';

const BEGIN = '<!-- generated: npm run api-types -->';
const END = '<!-- end -->';

const toKebabCase = (name: string): string => name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`);
const escapeCell = (text: string): string => text.replaceAll('|', '\\|');

/** Writes a table with aligned columns, like the other tables in the documentation. */
function formatTable(header: string[], rows: string[][]): string[] {
  const allRows = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...allRows.map(row => [...(row[column] ?? '')].length)));
  const formatRow = (row: string[]) =>
    `| ${row.map((text, column) => text + ' '.repeat((widths[column] ?? 0) - [...text].length)).join(' | ')} |`;
  return [
    formatRow(header),
    `| ${widths.map(width => '-'.repeat(width)).join(' | ')} |`,
    ...rows.map(formatRow),
  ];
}

function buildOptionRows(options: Options): string[][] {
  return Object.entries(options).map(([key, option]) => {
    const value =
      option.type === 'flag'
        ? ''
        : option.type === 'choice'
          ? ` <${option.choices.join('\\|')}>`
          : ` <${option.value}>`;
    const defaultText =
      'default' in option && option.default !== undefined ? `. Default: ${option.default}` : '';
    const requiredText = 'required' in option ? ' (required)' : '';
    return [
      `\`--${toKebabCase(key)}${value}\`${option.short ? `, \`-${option.short}\`` : ''}`,
      escapeCell(`${option.brief}${defaultText}${requiredText}`),
    ];
  });
}

/** Returns the options that only this command has. The page lists the common options once. */
const getOwnOptions = (command: AnyCommand): Options =>
  Object.fromEntries(
    Object.entries(getCommandOptions(command)).filter(([key]) => Object.hasOwn(command.options ?? {}, key)),
  );

function renderSection(command: AnyCommand): string[] {
  const args = Object.entries(command.args ?? {}) as [string, { brief: string; optional?: true }][];
  const usage = [
    'halyard',
    command.name,
    ...args.map(([name, { optional }]) => (optional ? `[<${toKebabCase(name)}>]` : `<${toKebabCase(name)}>`)),
    '[options]',
  ].join(' ');
  const rows = [
    ...args.map(([name, { brief }]) => [`\`<${toKebabCase(name)}>\``, escapeCell(brief)]),
    ...buildOptionRows(getOwnOptions(command)),
  ];
  const sharedOptions = [
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
    ...(rows.length > 0 ? [...formatTable(['Argument or option', 'Meaning'], rows), ''] : []),
    ...(sharedOptions.length > 0 ? [`It also accepts ${sharedOptions.join(', ')}.`, ''] : []),
    '```sh no-run',
    ...command.examples.flatMap(({ does, run }) => [`# ${does}`, `halyard ${run}`]),
    '```',
    '',
  ];
}

/** Replaces the generated parts of the page. */
export function renderReference(page: string): string {
  const sharedRows = [
    ...buildOptionRows(COMMON).map(row => [...row, 'every command']),
    ...buildOptionRows(WRITES).map(row => [...row, 'every command that changes something']),
    ...buildOptionRows(DESTRUCTIVE).map(row => [...row, 'commands that archive, delete or revoke something']),
    ...buildOptionRows(PAGE).map(row => [...row, 'commands that have a page in the console']),
  ];
  const parts = [
    [...formatTable(['Option', 'Meaning', 'Where'], sharedRows)],
    [
      ...formatTable(
        ['Code', 'Meaning'],
        Object.entries(EXIT_MEANINGS).map(([code, meaning]) => [code, escapeCell(meaning)]),
      ),
    ],
    [
      ...formatTable(
        ['Variable', 'Meaning'],
        Object.entries(CLI_VARIABLES).map(([name, meaning]) => [`\`${name}\``, escapeCell(meaning)]),
      ),
    ],
    COMMANDS.flatMap(renderSection).slice(0, -1),
  ];
  let partIndex = 0;
  const result = page.replace(new RegExp(`${BEGIN}[\\s\\S]*?${END}`, 'g'), () =>
    [BEGIN, '', ...(parts[partIndex++] ?? []), '', END].join('\n'),
  );
  if (partIndex !== parts.length)
    throw new Error(`The page has ${partIndex} generated parts instead of ${parts.length}.`);
  return result;
}
