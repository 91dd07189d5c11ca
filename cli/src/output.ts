import { styleText } from 'node:util';
import type { Context } from './context.ts';

/**
 * A description can contain control characters, which a terminal would execute. Line breaks and tabs become spaces; other
 * control characters, and those that change the text direction, become a visible mark.
 */
export const plain = (value: unknown): string =>
  String(value ?? '')
    .replace(/[\r\n\t\u2028\u2029]+/g, ' ')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not reach the terminal.
    .replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '\ufffd');

/** Several lines of text from an external source, such as a file or a message from the server. */
export const printable = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not reach the terminal.
  text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '\ufffd');

type Style = Parameters<typeof styleText>[0];

/** Colored if standard output is a terminal that has colors; NO_COLOR and FORCE_COLOR decide otherwise. */
export const styled = ({ stdout }: Context, style: Style, text: string): string =>
  styleText(style, text, { stream: stdout });

export const dim = (context: Context, text: string): string => styled(context, 'dim', text);

const widthOf = (text: string): number => [...text].length;
const cut = (text: string, width: number): string =>
  widthOf(text) <= width ? text : `${[...text].slice(0, Math.max(width - 1, 1)).join('')}…`;

/** Rows below a header. On a terminal the last column is cut, so that each row is one line. */
export function table(context: Context, header: string[], rows: unknown[][]): string {
  const cells = rows.map(row => row.map(plain));
  const widths = header.map((name, n) => Math.max(widthOf(name), ...cells.map(row => widthOf(row[n] ?? ''))));
  const before = widths.slice(0, -1).reduce((sum, width) => sum + width + 2, 0);
  const room = context.stdout.isTTY
    ? Math.max((context.stdout.columns ?? 80) - before, 12)
    : Number.POSITIVE_INFINITY;
  const line = (row: string[]): string =>
    row
      .map((cell, n) =>
        n === row.length - 1 ? cut(cell, room) : cell + ' '.repeat((widths[n] ?? 0) - widthOf(cell)),
      )
      .join('  ')
      .trimEnd();
  return [dim(context, line(header.map(name => name.toUpperCase()))), ...cells.map(line)].join('\n');
}

/** A table, or a sentence if there is nothing to show, and a line about what is omitted. */
export function list(
  context: Context,
  { header, rows, none, total }: { header: string[]; rows: unknown[][]; none: string; total?: number },
): string {
  if (rows.length === 0) return none;
  const rest =
    total !== undefined && total > rows.length
      ? `\n\n${rows.length} of ${total}. Use --limit to see more.`
      : '';
  return table(context, header, rows) + rest;
}

/** One line for each name and its value. */
export function fields(context: Context, all: Record<string, unknown>): string {
  const shown = Object.entries(all).filter(
    ([, value]) => value !== undefined && value !== null && value !== '',
  );
  const width = Math.max(...shown.map(([name]) => name.length));
  return shown.map(([name, value]) => `${dim(context, name.padEnd(width))}  ${plain(value)}`).join('\n');
}

/** 2026-11-18 05:12 in UTC, as everywhere in Halyard. */
export const time = (iso: string | null | undefined): string =>
  iso ? iso.slice(0, 16).replace('T', ' ') : '';

export const count = (number: number, one: string, many = `${one}s`): string =>
  `${number.toLocaleString('en')} ${number === 1 ? one : many}`;

const write = (stream: NodeJS.WriteStream, text: string): Promise<void> =>
  new Promise((resolve, reject) => stream.write(text, error => (error ? reject(error) : resolve())));

/** Waits until the reader has taken the line, so that a stream never fills the memory. */
export const printLine = ({ stdout }: Pick<Context, 'stdout'>, text: string): Promise<void> =>
  write(stdout, `${text}\n`);

/** The result as one document: indented for people who look at JSON, in one line for programs. */
export const document = (value: unknown, { stdout }: Pick<Context, 'stdout'>): string =>
  stdout.isTTY ? escaped(JSON.stringify(value ?? null, null, 2)) : JSON.stringify(value ?? null);

/** JSON without the control characters that JSON.stringify leaves as they are. */
export const escaped = (json: string): string =>
  json.replace(
    /[\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
