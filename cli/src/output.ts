import { styleText } from 'node:util';

/** The stream that gets the output. Colors and widths depend on whether the stream is a terminal. */
type Output = { stdout: NodeJS.WriteStream };

/**
 * Makes a value safe to print, because a terminal would execute the control characters in a description. Line breaks and tabs become
 * spaces. Other control characters, and those that change the text direction, become a visible mark.
 */
export const sanitize = (value: unknown): string =>
  String(value ?? '')
    .replace(/[\r\n\t\u2028\u2029]+/g, ' ')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not reach the terminal.
    .replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '\ufffd');

/** Makes text from an external source, such as a file or the server, safe to print, and keeps its line breaks. */
export const sanitizeLines = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not reach the terminal.
  text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '\ufffd');

/** Makes all strings of a result safe to print, so that a command that forgets `sanitize` does no harm. */
export function sanitizeResult<T>(result: T): T {
  if (typeof result === 'string') return sanitizeLines(result) as T;
  if (Array.isArray(result)) return result.map(sanitizeResult) as T;
  if (typeof result !== 'object' || result === null) return result;
  const entries = Object.entries(result).map(([name, value]) => [sanitizeLines(name), sanitizeResult(value)]);
  return Object.fromEntries(entries) as T;
}

type Style = Parameters<typeof styleText>[0];

/** Styles a string if standard output is a terminal with colors. NO_COLOR and FORCE_COLOR override the detection. */
export const applyStyle = ({ stdout }: Output, style: Style, text: string): string =>
  styleText(style, text, { stream: stdout });

export const dim = (output: Output, text: string): string => applyStyle(output, 'dim', text);

const measureWidth = (text: string): number => [...text].length;
const truncate = (text: string, width: number): string =>
  measureWidth(text) <= width ? text : `${[...text].slice(0, Math.max(width - 1, 1)).join('')}…`;

/** Formats rows below a header. On a terminal, the last column is truncated so that each row fits on one line. */
export function formatTable(output: Output, header: string[], rows: unknown[][]): string {
  const cells = rows.map(row => row.map(sanitize));
  const widths = header.map((name, column) =>
    Math.max(measureWidth(name), ...cells.map(row => measureWidth(row[column] ?? ''))),
  );
  const precedingWidth = widths.slice(0, -1).reduce((sum, width) => sum + width + 2, 0);
  const lastWidth = output.stdout.isTTY
    ? Math.max((output.stdout.columns ?? 80) - precedingWidth, 12)
    : Number.POSITIVE_INFINITY;
  const formatRow = (row: string[]): string =>
    row
      .map((cell, column) =>
        column === row.length - 1
          ? truncate(cell, lastWidth)
          : cell + ' '.repeat((widths[column] ?? 0) - measureWidth(cell)),
      )
      .join('  ')
      .trimEnd();
  return [dim(output, formatRow(header.map(name => name.toUpperCase()))), ...cells.map(formatRow)].join('\n');
}

/** Formats a table, or the sentence `none` if there are no rows, and adds a line if rows are omitted. */
export function formatList(
  output: Output,
  { header, rows, none, total }: { header: string[]; rows: unknown[][]; none: string; total?: number },
): string {
  if (rows.length === 0) return none;
  const omissionNote =
    total !== undefined && total > rows.length
      ? `\n\n${rows.length} of ${total}. Use --limit to see more.`
      : '';
  return formatTable(output, header, rows) + omissionNote;
}

/** Formats one line for each name and its value. Empty values are omitted. */
export function formatFields(output: Output, values: Record<string, unknown>): string {
  const entries = Object.entries(values).filter(
    ([, value]) => value !== undefined && value !== null && value !== '',
  );
  const width = Math.max(...entries.map(([name]) => name.length));
  return entries.map(([name, value]) => `${dim(output, name.padEnd(width))}  ${sanitize(value)}`).join('\n');
}

/** Formats a time as 2026-11-18 05:12 in UTC. */
export const formatTime = (iso: string | null | undefined): string =>
  iso ? iso.slice(0, 16).replace('T', ' ') : '';

export const formatCount = (count: number, singular: string, plural = `${singular}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? singular : plural}`;

const write = (stream: NodeJS.WriteStream, text: string): Promise<void> =>
  new Promise((resolve, reject) => stream.write(text, error => (error ? reject(error) : resolve())));

/** Prints a line and waits until the reader has taken it, so that a stream never fills the memory. */
export const printLine = ({ stdout }: Output, text: string): Promise<void> => write(stdout, `${text}\n`);

/** Formats the result as one JSON document, which is indented on a terminal and a single line for programs. */
export const formatDocument = (value: unknown, { stdout }: Output): string =>
  stdout.isTTY
    ? escapeControlCharacters(JSON.stringify(value ?? null, null, 2))
    : JSON.stringify(value ?? null);

/** Escapes the control characters that JSON.stringify leaves in JSON. */
export const escapeControlCharacters = (json: string): string =>
  json.replace(
    /[\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
